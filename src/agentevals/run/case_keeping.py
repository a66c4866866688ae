"""Keeping the cases of a run: adding them up, or writing them into a part, one after the other.

A worker packs its cases into what is kept of them, so that this process only puts that together.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from agentevals.run.run_parts import PartWriter, encode_case
from agentevals.run.run_totals import Gathering, Judged, Packed, pack_cases

Clean = Callable[[Judged], Judged]
Tell = Callable[[int], None]  # called with the number of cases that are kept

Pack = TypeVar("Pack")


class Keeper(Generic[Pack]):
    """Keeps the cases of a run, without values that nobody may read."""

    def __init__(self, clean: Clean, tell: Tell) -> None:
        self._clean, self._tell = clean, tell
        self._number = 0

    def keep(self, judged: Judged) -> None:
        """Keep the next case."""
        self.take(self.pack([judged]), 1)

    def take(self, packed: Pack, number: int) -> None:
        """Keep the next cases, which may have been packed in another process."""
        self._add(packed)
        self._number += number
        self._tell(self._number)

    @abstractmethod
    def pack(self, judged: Sequence[Judged]) -> Pack:
        """Return what is kept of consecutive cases."""

    @abstractmethod
    def _add(self, packed: Pack) -> None:
        """Put the next cases to those before them."""


class Gatherer(Keeper[Packed]):
    """Adds the cases of a run up."""

    def __init__(self, gathering: Gathering, clean: Clean, tell: Tell) -> None:
        super().__init__(clean, tell)
        self._gathering = gathering

    def keep(self, judged: Judged) -> None:
        self._gathering.add(self._clean(judged))
        self._number += 1
        self._tell(self._number)

    def pack(self, judged: Sequence[Judged]) -> Packed:
        return pack_cases(map(self._clean, judged))

    def _add(self, packed: Packed) -> None:
        self._gathering.take(packed)


class Writer(Keeper[list[bytes]]):
    """Writes the cases of a run into a part."""

    def __init__(self, part: PartWriter, clean: Clean, tell: Tell) -> None:
        super().__init__(clean, tell)
        self._part = part

    def pack(self, judged: Sequence[Judged]) -> list[bytes]:
        return [encode_case(self._clean(each)) for each in judged]

    def _add(self, packed: list[bytes]) -> None:
        for frame in packed:
            self._part.add_frame(frame)
