"""The cases of a large eval set: on disk, with an index of a few bytes for each in memory.

The file is read in pieces: an array is cut where one case ends and the next begins.
"""

import io
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, overload

import msgspec

from agentevals.configs.plan import Expectation, StoredExpectations
from agentevals.files import documents, json_reader, named_files
from agentevals.files.key_numbering import Numbering
from agentevals.files.spool import PackedItems, Spool
from agentevals.model.conversations import Turn

_HELD_BYTES = 4 * 2**20  # of JSON; cases take about six times as much in memory
Read = TypeVar("Read")
_LARGE = 4 * 2**20  # bytes; smaller files are read as a document, which others may ask for as well
_PIECE = 2**20
_BEGIN = re.compile(rb'"eval_cases"\s*:\s*\[')
_NEXT, _BEFORE = b'"eval_id"', re.compile(rb",\s*\{\s*\Z")
_SPACE = 64  # bytes at most between two cases
_decode_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


class KeptCase(msgspec.Struct, frozen=True, gc=False):
    """An expected conversation that is judged by the rules of the whole eval set."""

    case_id: str
    turns: tuple[Turn, ...]

    def expectation(self) -> Expectation:
        """Return it as a run knows it."""
        turns = self.turns
        opening = turns[0].user if turns else ""
        return Expectation(case_id=self.case_id, turns=turns, opening=opening)


class Shelf:
    """Takes the cases of an eval set one after the other, and moves to disk if they are many."""

    def __init__(self) -> None:
        self._cases = Spool(KeptCase, budget=_HELD_BYTES, exact=True)
        self._names = Numbering()
        self._most_turns = 0

    def add(self, case: KeptCase, weight: int) -> bool:
        """Add a case that has so many bytes; False if there is one of this name."""
        number = len(self._names)
        if self._names.add(case.case_id) < number:
            return False
        self._cases.append(case, weight=weight)
        self._most_turns = max(self._most_turns, len(case.turns))
        return True

    def list_cases(self) -> Sequence[Expectation]:
        """Return the cases in their order."""
        if not self._cases.is_on_disk:
            return tuple([case.expectation() for case in self._cases])
        self._cases.flush()
        return StoredCases(self._cases, self._most_turns)


class StoredCases(StoredExpectations):
    """The cases of an eval set that lie on disk."""

    def __init__(self, cases: Spool[KeptCase], most_turns: int) -> None:
        self._cases, self.most_turns = cases, most_turns

    def __len__(self) -> int:
        return len(self._cases)

    @overload
    def __getitem__(self, index: int) -> Expectation: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Expectation]: ...
    def __getitem__(self, index: int | slice) -> Expectation | Sequence[Expectation]:
        if isinstance(index, slice):
            return [case.expectation() for case in self._cases[index]]
        return self._cases[index].expectation()

    def __iter__(self) -> Iterator[Expectation]:
        return (case.expectation() for case in self._cases)

    def __reduce__(self) -> tuple[Any, ...]:
        """Take all cases along to another machine, where this file is not."""
        return _unpack, (self._cases.pack(), self.most_turns)

    @property
    def case_ids(self) -> Sequence[str]:
        return _View(self._cases, lambda case: case.case_id)

    def digest(self, make: Callable[[Expectation], str]) -> Mapping[str, str]:
        return _Digests(self, make)


def _unpack(packed: PackedItems, most_turns: int) -> StoredCases:
    """Return the cases that another process has sent, on the disk of this one."""
    cases = Spool(KeptCase, budget=_HELD_BYTES, exact=True)
    cases.append_packed(packed)
    return StoredCases(cases, most_turns)


class _View(Sequence[Read]):
    """Something of each case, read from disk when somebody asks for it."""

    def __init__(self, cases: Spool[KeptCase], read: Callable[[KeptCase], Read]) -> None:
        self._cases, self._read = cases, read

    def __len__(self) -> int:
        return len(self._cases)

    @overload
    def __getitem__(self, index: int) -> Read: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Read]: ...
    def __getitem__(self, index: int | slice) -> Read | Sequence[Read]:
        if isinstance(index, slice):
            return [self._read(case) for case in self._cases[index]]
        return self._read(self._cases[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != len(self):
            return False
        return all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class _Digests(Mapping[str, str]):
    """The digest of each case by its id: computed if a run is compared, or written in full."""

    def __init__(self, cases: Sequence[Expectation], make: Callable[[Expectation], str]) -> None:
        self._cases, self._make = cases, make

    @cached_property
    def _known(self) -> dict[str, str]:
        return {wanted.case_id: self._make(wanted) for wanted in self._cases}

    def __len__(self) -> int:
        return len(self._cases)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __getitem__(self, case_id: str) -> str:
        return self._known[case_id]


class _Outline(msgspec.Struct, forbid_unknown_fields=True):
    """A set without its cases."""

    eval_set_id: str
    eval_cases: list[None]
    name: str | None = None
    description: str | None = None
    creation_timestamp: float = 0.0


class CaseFile:
    """A file of eval cases."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = file.seek(0, io.SEEK_END)
        self._start = file.seek(0)

    def list_lines(self) -> Iterator[bytes]:
        """Yield every line that is not blank."""
        return filter(None, map(bytes.strip, self._file))

    def read_outline(self) -> str:
        """Return the id of the set, and find the array of its cases; else raise a ValueError."""
        first = self._file.read(_PIECE)
        found = _BEGIN.search(first)
        self._file.seek(max(0, self._end - _PIECE))
        last = self._file.read()
        closing = last.rfind(b"]")
        if not found or closing < 0:
            raise ValueError
        outline = first[: found.end()] + last[closing:]
        self._start, self._end = found.end(), self._end - (len(last) - closing)
        if self._start > self._end:
            raise ValueError
        # it holds no more than the array if all of it is one object without an array of cases
        return msgspec.convert(json_reader.load(outline.decode()), _Outline).eval_set_id

    def cut_items(self) -> Iterator[bytes]:
        """Yield each case of the array, or raise a ValueError."""
        self._file.seek(self._start)
        left, rest = self._end - self._start, b""
        while left > 0 or rest.strip():
            piece = rest + self._file.read(min(left, _PIECE))
            left -= len(piece) - len(rest)
            cut = _find_cut(piece) if left > 0 else len(piece)
            if not cut:  # nothing shows where a case ends: look at all of them together
                piece += self._file.read(left)
                cut, left = len(piece), 0
            # what is valid between brackets was cut between two cases
            yield from map(bytes, _decode_items(b"[" + piece[:cut] + b"]"))
            rest = piece[cut + 1 :]


def _find_cut(piece: bytes) -> int:
    """Return where the last comma is that seems to stand between two cases; 0 if there is none."""
    at = piece.rfind(_NEXT)
    while at > 0:
        start = max(0, at - _SPACE)
        if found := _BEFORE.search(piece[start:at]):
            return start + found.start()
        at = piece.rfind(_NEXT, 0, at)
    return 0


@contextmanager
def open_file(path: Path) -> Iterator[CaseFile]:
    """Yield the cases of a file; a small one, or one that is no file, is read as a document."""
    if _is_large(path):
        with open(path, "rb", opener=named_files.open_readable) as file:
            yield CaseFile(file)
    else:
        yield CaseFile(io.BytesIO(documents.read_text(path).encode()))


def _is_large(path: Path) -> bool:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > _LARGE
