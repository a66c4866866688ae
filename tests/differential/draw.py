"""Random choices that know what they have chosen: whether a grammar reaches all of a system."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import TypeVar

_T = TypeVar("_T")

# texts that programs stumble over
TEXTS = (
    "",
    " ",
    "yes",
    "The order has been shipped.",
    "4 €, „Käse“ 🧀",
    "line one\nline two",
    '{"a": 1}',
    "a,b;c\td",
    "ÄÖÜ ß İı",
    "null",
    "0.1",
    "x" * 300,
)
NUMBERS = (0, 1, -1, 2, 0.5, 0.1, 1e-9, 0.7999999999999999, 100, 10**12)


class Draw:
    """The choices of one case. The same seed makes the same ones."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)
        self.reached: Counter[tuple[str, str]] = Counter()

    def choose(self, what: str, options: Sequence[_T]) -> _T:
        """One of the options; it counts as reached under this name."""
        found = self._random.choice(options)
        self.reached[what, str(found)] += 1
        return found

    def chance(self, part: float) -> bool:
        """Whether something happens that happens in this part of all cases."""
        return self._random.random() < part

    def count(self, least: int, most: int) -> int:
        """A whole number from the least to the most."""
        return self._random.randint(least, most)

    def several(self, options: Sequence[_T], least: int, most: int) -> list[_T]:
        """Some of the options, each as often as it comes."""
        return [self._random.choice(options) for _ in range(self.count(least, most))]

    def text(self) -> str:
        """A text, one in three of them an odd one."""
        words = self.several(_WORDS, 1, 8)
        return self._random.choice(TEXTS) if self.chance(1 / 3) else " ".join(words)

    def number(self) -> float:
        """A number, one in three of them an odd one."""
        return self._random.choice(NUMBERS) if self.chance(1 / 3) else self.count(0, 20)


_WORDS = (
    *("the", "order", "bread", "has", "been", "shipped", "costs", "four", "euros", "not", "Berlin"),
    *("refund", "Käse", "7", "8.50", "yes", "no", "please", "agent", "tool"),
)
