"""A promise, the cells in which it is tried, and when a cell says that it is broken."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp, lgamma, log, log1p
from random import Random
from typing import NamedTuple

BAD_LUCK = 0.001  # the chance that a program of kept promises ends red
FEWER = 0.3  # of the runs for cells that take long
LARGE = 100  # cases; more take long
_DOUBTFUL = 0.25  # the chance of runs as bad as the first ones, or worse
STAGES = 8  # times as many runs as the first ones, where those look as if a promise was broken

Trial = Callable[[Random], Mapping[str, bool]]


@dataclass(frozen=True)
class Promise:
    """How often something that is looked at may be so, or has to be."""

    name: str
    sentence: str
    event: str
    least: float = 0.0
    most: float = 1.0

    def doubt(self, held: int, tried: int) -> float:
        """Return how likely a share as bad as the one that was seen is if the promise is kept."""
        doubts = [1.0]
        if self.least > 0:
            doubts.append(find_tail(tried - held, tried, 1 - self.least))
        if self.most < 1:
            doubts.append(find_tail(held, tried, self.most))
        return min(doubts)


@dataclass(frozen=True)
class Cell:
    """One kind of run of one size, tried again and again."""

    group: str
    kind: str
    cases: int
    trial: Trial
    promises: tuple[Promise, ...] = ()
    reason: str = ""  # why its intervals may be wide
    share: float = 1.0  # of the runs that other cells get

    @property
    def name(self) -> str:
        return f"{self.group}: {self.kind}, {self.cases} cases"


@dataclass
class Seen:
    """How often each event was looked for in a cell, and how often it was there."""

    cell: Cell
    held: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, found: Mapping[str, bool]) -> None:
        for event, is_held in found.items():
            self.tried[event] += 1
            self.held[event] += is_held

    def find_share(self, event: str) -> float | None:
        return self.held[event] / self.tried[event] if self.tried[event] else None


class Broken(NamedTuple):
    """A promise that a cell does not keep."""

    promise: Promise
    seen: Seen

    def __str__(self) -> str:
        share = self.seen.find_share(self.promise.event) or 0.0
        tried = self.seen.tried[self.promise.event]
        return f"{self.promise.name}: {share:.1%} of {tried:,} runs ({self.seen.cell.name})"


def try_cell(cell: Cell, seed: str, runs: int) -> Seen:
    """Try a cell, and go on where a promise looks broken: many runs tell what few do not.

    What is judged is always the whole. So it makes no difference to the chance of bad luck that
    other cells end early.
    """
    random, seen = Random(f"{seed}/{cell.name}"), Seen(cell)
    first = max(1, round(runs * cell.share))
    for number in range(STAGES * first):
        if number == first and not _is_doubtful(seen):
            break
        seen.add(cell.trial(random))
    return seen


def _is_doubtful(seen: Seen) -> bool:
    return any(
        promise.doubt(seen.held[promise.event], seen.tried[promise.event]) < _DOUBTFUL
        for promise in seen.cell.promises
    )


def find_broken(every: list[Seen]) -> list[Broken]:
    """Return the promises that chance alone does not break, the worst first.

    The chance of bad luck is that of the whole program: each promise of each cell gets its part.
    """
    asked = [(promise, seen) for seen in every for promise in seen.cell.promises]
    doubts = [
        (promise.doubt(seen.held[promise.event], seen.tried[promise.event]), place)
        for place, (promise, seen) in enumerate(asked)
    ]
    return [Broken(*asked[place]) for p, place in sorted(doubts) if p < BAD_LUCK / len(asked)]


def find_tail(count: int, of: int, share: float) -> float:
    """Return the chance of as many successes, or more."""
    if not count or share <= 0:
        return float(not count)
    ways, yes, no = lgamma(of + 1), log(share), log1p(-share)
    return min(
        1.0,
        sum(
            exp(ways - lgamma(k + 1) - lgamma(of - k + 1) + k * yes + (of - k) * no)
            for k in range(count, of + 1)
        ),
    )
