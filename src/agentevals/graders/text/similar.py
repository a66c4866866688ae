"""`similar`: the answer means much the same as a text."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from importlib.util import find_spec
from itertools import islice
from math import sqrt
from pathlib import Path
from struct import Struct
from typing import Annotated, Any

from pydantic import Field

from agentevals.graders.agentv.assertions import Assertion
from agentevals.graders.grader import Services
from agentevals.graders.javascript import to_fixed
from agentevals.graders.text.text_checks import Text
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact
from agentevals.model.errors import EvaluatorError

_NAME = "embedding.weight"
_LENGTH = Struct("<Q")
_AT_ONCE = 512  # vectors that are unpacked at a time

_SPACE = "▁"
_WORD = re.compile(f"{_SPACE}*[^{_SPACE}]*")  # no piece goes on after a word's end
_KEPT = 20_000  # words whose pieces are remembered
_SHORT = 100  # characters of such a word

_READ = {"type": "BPE", "byte_fallback": True, "continuing_subword_prefix": None}

LONGEST = 100_000  # characters; what is beyond is not compared

_PACKAGE = "wordllama"
_TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"

_SHOWN = 200  # characters of a text in a sentence


class Vectors:
    """As many vectors as there are pieces, each of the same length."""

    def __init__(self, data: bytes, *, rows: int) -> None:
        if len(data) < _LENGTH.size:
            msg = "its weights are cut off"
            raise ValueError(msg)
        start = _LENGTH.size + int(_LENGTH.unpack_from(data)[0])
        table = json.loads(data[_LENGTH.size : start])[_NAME]
        count, self._columns = table["shape"]
        if table["dtype"] != "F16" or count != rows:
            msg = "its weights are of another kind than those known here"
            raise ValueError(msg)
        self._row = Struct(f"<{self._columns}e")
        self._data, self._start = data, start + table["data_offsets"][0]
        if len(data) < self._start + count * self._row.size:
            msg = "its weights are cut off"
            raise ValueError(msg)

    def mean(self, tokens: Iterable[int]) -> list[float]:
        """The mean of the vectors; where there are none, a vector of length 0."""
        often = Counter(tokens)
        total, rest = [0.0] * self._columns, iter(often.items())
        while taken := [self._read_vector(*token) for token in islice(rest, _AT_ONCE)]:
            total = [sum(column) for column in zip(total, *taken, strict=True)]
        count = often.total() or 1
        return [value / count for value in total]

    def _read_vector(self, token: int, times: int) -> Sequence[float]:
        row = self._row.unpack_from(self._data, self._start + token * self._row.size)
        return row if times == 1 else [times * value for value in row]


class Tokenizer:
    """Pieces of words, and their order, as the file of a tokenizer says."""

    def __init__(self, written: dict[str, Any]) -> None:
        model = written["model"]
        if any(model[key] != value for key, value in _READ.items()) or written["pre_tokenizer"]:
            msg = "its tokenizer is of another kind than the one known here"
            raise ValueError(msg)
        self._numbers: dict[str, int] = model["vocab"]
        self._order = {pair: place for place, pair in enumerate(model["merges"])}
        special = [token["content"] for token in written["added_tokens"]]
        self._special = re.compile("({})".format("|".join(map(re.escape, special))))
        self._remembered = lru_cache(maxsize=_KEPT)(self._split_word)

    @property
    def size(self) -> int:
        """The number of pieces."""
        return len(self._numbers)

    def tokenise(self, text: str) -> Iterator[int]:
        """The number of every piece of a text."""
        for place, part in enumerate(self._special.split(text)):
            if place % 2:
                yield self._numbers[part]
            elif part:
                yield from self._split_part(_SPACE + part.replace(" ", _SPACE))

    def _split_part(self, text: str) -> Iterator[int]:
        for word in _WORD.findall(text):
            yield from (self._remembered if len(word) <= _SHORT else self._split_word)(word)

    def _split_word(self, word: str) -> tuple[int, ...]:
        parts = [piece for letter in word for piece in self._split_letter(letter)]
        self._join(parts)
        return tuple(self._numbers[part] for part in parts if part)

    def _split_letter(self, letter: str) -> tuple[str, ...]:
        """Itself, or its bytes where it is unknown."""
        if letter in self._numbers:
            return (letter,)
        return tuple(f"<0x{byte:02X}>" for byte in letter.encode())

    def _join(self, parts: list[str]) -> None:
        """Joins neighbours, the most common pair first; what was joined to another is empty."""
        before = list(range(-1, len(parts) - 1))
        after = list(range(1, len(parts) + 1))
        waiting = [
            found for at in range(len(parts) - 1) if (found := self._find_pair(parts, at, at + 1))
        ]
        heapify(waiting)
        while waiting:
            _, at, other, pair = heappop(waiting)
            if after[at] != other or f"{parts[at]} {parts[other]}" != pair:
                continue
            parts[at], parts[other] = pair.replace(" ", ""), ""
            after[at], end = after[other], after[other]
            if end < len(parts):
                before[end] = at
            neighbours = ((before[at], at), (at, end))
            for found in (self._find_pair(parts, *both) for both in neighbours):
                if found:
                    heappush(waiting, found)

    def _find_pair(self, parts: list[str], at: int, other: int) -> tuple[int, int, int, str] | None:
        if at < 0 or other >= len(parts):
            return None
        pair = f"{parts[at]} {parts[other]}"
        place = self._order.get(pair)
        return None if place is None else (place, at, other, pair)


def find_obstacle() -> str:
    """Why no texts can be compared here; empty where they can."""
    folder = _find_folder()
    if folder is None:
        return f"needs the package {_PACKAGE!r}, which is not installed; run: pip install wordllama"
    missing = next((name for name in (_TOKENS, _WEIGHTS) if not (folder / name).is_file()), "")
    return _describe_unusable(f"it has no {missing}") if missing else ""


def compute_cosines(text: str, others: tuple[str, ...]) -> list[float]:
    """Compare a text with each of the others, from -1 to 1; nothing is near an empty text."""
    if missing := find_obstacle():
        raise EvaluatorError(missing)
    tokenizer, vectors = _load_model(_find_folder() or Path())
    first, *rest = (vectors.mean(tokenizer.tokenise(_clean(one))) for one in (text, *others))
    return [_compute_cosine(first, other) for other in rest]


def _clean(text: str) -> str:
    """Cut a long text, and put a question mark for half a character."""
    return text[:LONGEST].encode(errors="replace").decode()


def _compute_cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = sqrt(_multiply(one, one) * _multiply(other, other))
    return max(-1.0, min(1.0, _multiply(one, other) / lengths)) if lengths > 0 else 0.0


def _multiply(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _find_folder() -> Path | None:
    found = find_spec(_PACKAGE)
    places = list(found.submodule_search_locations or ()) if found else []
    return Path(places[0]) if places else None


@lru_cache(maxsize=1)
def _load_model(folder: Path) -> tuple[Tokenizer, Vectors]:
    try:
        tokenizer = Tokenizer(json.loads((folder / _TOKENS).read_bytes()))
        return tokenizer, Vectors((folder / _WEIGHTS).read_bytes(), rows=tokenizer.size)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EvaluatorError(_describe_unusable(str(error))) from error


def _describe_unusable(why: str) -> str:
    return (
        f"the installed {_PACKAGE!r} cannot be used: {why}; "
        "run: pip install --force-reinstall wordllama"
    )


class Similar(Assertion):
    """The nearness of the answer to the nearest of the texts: 0 is the opposite, 1 is the same."""

    type = "similar"
    judges_by = frozenset({Fact.ANSWER})
    judges_last_turn_only = True

    value: Text | Annotated[tuple[Text, ...], Field(min_length=1)] = Field(
        description="The text, or several of which the nearest counts"
    )
    threshold: float = Field(
        default=0.75, ge=0, le=1, description="A score at or above this value passes"
    )

    def problems(self) -> list[str]:
        missing = find_obstacle()
        return [missing] if missing else []

    def grade(self, case: Case, services: Services) -> Grade:
        texts = (self.value,) if isinstance(self.value, str) else self.value
        if not case.answer.strip():
            return Grade(score=0.0, misses=("Output is empty",), reasoning="Output is empty")
        scores = [(1 + cosine) / 2 for cosine in compute_cosines(case.answer, texts)]
        best = max(scores)
        return self._build_grade(best, texts[scores.index(best)], scores)

    def _build_grade(self, best: float, nearest: str, scores: Sequence[float]) -> Grade:
        met = best >= self.threshold
        sentence = (
            f'Output is {"" if met else "not "}similar to "{nearest[:_SHOWN]}" '
            f"(similarity: {to_fixed(best, 2)}, threshold: {to_fixed(self.threshold, 2)})"
        )
        return Grade(
            score=best,
            hits=(sentence,) if met else (),
            misses=() if met else (sentence,),
            reasoning=sentence,
            details={"similarities": list(scores)},
        )
