"""The pairs of a long run, made when somebody asks for one: their summaries may lie on disk."""

from array import array
from collections.abc import Iterator, Sequence
from typing import overload

from agentevals.compare.cases import Pair, make_pair
from agentevals.compare.summaries import CaseSummary
from agentevals.model.outcome import Kind

_KINDS = tuple(Kind)


class LonePairs(Sequence[Pair]):
    """The cases of a run that nothing is compared with."""

    def __init__(self, summaries: Sequence[CaseSummary]) -> None:
        self._summaries = summaries

    def __len__(self) -> int:
        return len(self._summaries)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Pair]: ...
    def __getitem__(self, index: int | slice) -> Pair | Sequence[Pair]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        return make_pair(self._summaries[index], index)

    def __iter__(self) -> Iterator[Pair]:
        return (make_pair(one, at) for at, one in enumerate(self._summaries))


class Noted:
    """The places of pairs that somebody should look at, and why."""

    def __init__(self) -> None:
        self.places, self.kinds = array("I"), array("B")

    def add(self, place: int, kind: Kind) -> None:
        """Add the pair at this place."""
        self.places.append(place)
        self.kinds.append(_KINDS.index(kind))

    def join(self, later: "Noted") -> None:
        """Add those that follow."""
        self.places.extend(later.places)
        self.kinds.extend(later.kinds)


class Found(Sequence[tuple[Pair, Kind]]):
    """The pairs that somebody should look at, and why."""

    def __init__(self, paired: Sequence[Pair], noted: Noted) -> None:
        self._paired, self._places, self._kinds = paired, noted.places, noted.kinds

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> tuple[Pair, Kind]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Pair, Kind]]: ...
    def __getitem__(self, index: int | slice) -> tuple[Pair, Kind] | Sequence[tuple[Pair, Kind]]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        return self._paired[self._places[index]], _KINDS[self._kinds[index]]

    def __iter__(self) -> Iterator[tuple[Pair, Kind]]:
        return (self[at] for at in range(len(self)))
