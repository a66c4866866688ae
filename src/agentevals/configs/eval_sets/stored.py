"""The cases of a large eval set: on disk, with an index of a few bytes for each in memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar, overload

import msgspec

from agentevals.configs.plan import Expectation, StoredExpectations
from agentevals.files.numbering import Numbering
from agentevals.files.spool import Spool
from agentevals.model.conversations import Turn

_HELD_BYTES = 4 * 2**20  # of JSON; cases take about six times as much in memory

Read = TypeVar("Read")


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
        return tuple, (list(self),)

    @property
    def case_ids(self) -> Sequence[str]:
        return _View(self._cases, lambda case: case.case_id)

    def digest(self, make: Callable[[Expectation], str]) -> Mapping[str, str]:
        return _Digests(self, make)


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
