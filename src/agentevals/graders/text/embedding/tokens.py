"""Texts as the numbers of their pieces, by pairs that are joined in a fixed order (BPE)."""

import re
from collections.abc import Iterator
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import Any

_SPACE = "▁"
_WORD = re.compile(f"{_SPACE}*[^{_SPACE}]*")  # no piece goes on after a word's end
_KEPT = 20_000  # words whose pieces are remembered
_SHORT = 100  # characters of such a word

_READ = {"type": "BPE", "byte_fallback": True, "continuing_subword_prefix": None}


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
