"""A run split over several machines: each judges a part of the conversations."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

_WRITTEN = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")


class Shard(NamedTuple):
    """The part of the conversations that is evaluated, counted from 1."""

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Parse `1/4`; a ValueError says what is wrong."""
        found = _WRITTEN.fullmatch(text)
        number, total = (int(part) for part in found.groups()) if found else (0, 0)
        if not 1 <= number <= total:
            msg = "must be a part of a whole, such as 1/4"
            raise ValueError(msg)
        return cls(number, total)

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def cut(self, weights: Sequence[int]) -> range:
        """Return the places of this part in a sequence: those whose middle falls into its share.

        Every place is in one part, and all parts weigh about the same.
        """
        first, last = (
            sum(1 for middle in _list_middles(weights) if middle * self.total < share)
            for share in (2 * sum(weights) * end for end in (self.number - 1, self.number))
        )
        return range(first, len(weights) if self.number == self.total else last)


def _list_middles(weights: Sequence[int]) -> Iterator[int]:
    """Yield twice the weight up to the middle of each place."""
    return (2 * end - weight for end, weight in zip(accumulate(weights), weights, strict=True))
