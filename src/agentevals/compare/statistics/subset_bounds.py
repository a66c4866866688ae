"""Bounds of a mean or a ratio from subsets of the cases (Hartigan, 1969).

Where the differences lie symmetrically about their true mean, the mean of any subset is as likely
to be below it as above. So quantiles of these means bound it, exactly and for any spread. They are
what the sign-flip test gives when it is inverted, and a better case never makes them worse.
The same input is resampled in the same way on every machine.
"""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import inf
from operator import getitem

from agentevals.compare.statistics.statistics_inputs import (
    Part,
    add_parts,
    proportion,
    require_parts,
)

_ENUMERATED = 12  # parts of which every subset is looked at
_WORK = 1_000_000
_GROUP = 8  # parts in one random byte
_MOST = 2_000  # parts; of more, some are taken together, whichever they are
_DIGITS = 12  # what adding in another order leaves is no difference
RESAMPLES = 9_999  # one less than a round number: what was seen counts as one more
_FEWEST = 399
_SEED = 1


class Subsets:
    """The ratios of all subsets of some parts, or of as many random ones as are affordable."""

    def __init__(self, parts: Sequence[Part]) -> None:
        # the order of the cases cannot matter, and a better case must not put them in another
        self._parts = sorted(require_parts(parts), key=lambda part: (part.bottom, part.top))

    @property
    def reach(self) -> float:
        """An unseen part is taken to be like the others."""
        return 0.0

    def find_low(self, share: float) -> float:
        """Return the largest value that the true one is below with at most this chance."""
        place = int(proportion(share, "share") * (len(self._ratios) + 1))
        return self._ratios[place - 1] if place else -inf

    def find_high(self, share: float) -> float:
        """Return the smallest value that the true one is above with at most this chance."""
        place = int(proportion(share, "share") * (len(self._ratios) + 1))
        return self._ratios[-place] if place else inf

    def doubt_above(self, limit: float) -> float:
        """Return the p value of "it is not above the limit"."""
        within = bisect_right(self._ratios, round(limit, _DIGITS))
        return (within + 1) / (len(self._ratios) + 1)

    def doubt_below(self, limit: float) -> float:
        """Return the p value of "it is not below the limit"."""
        within = len(self._ratios) - bisect_left(self._ratios, round(limit, _DIGITS))
        return (within + 1) / (len(self._ratios) + 1)

    @cached_property
    def _ratios(self) -> list[float]:
        every = _list_all if len(self._parts) <= _ENUMERATED else _draw
        parts = _join(self._parts) if len(self._parts) > _MOST else self._parts
        return sorted(round(part.ratio, _DIGITS) for part in every(parts))


def _join(parts: list[Part]) -> list[Part]:
    """Return fewer parts, each of several that chance has put together."""
    mixed = repeat_chance().sample(parts, len(parts))
    return [add_parts(mixed[at::_MOST]) for at in range(_MOST)]


def _list_all(parts: list[Part]) -> Iterator[Part]:
    """Yield the sums of all subsets but the empty one, which says nothing."""
    tops, bottoms = ([part[at] for part in parts] for at in (0, 1))
    return map(Part, _add_up(tops)[1:], _add_up(bottoms)[1:])


def _draw(parts: list[Part]) -> Iterator[Part]:
    """Yield the sums of random subsets but the empty one; the mirror image draws the same ones."""
    size = -(-len(parts) // _GROUP)
    sides = [(_tabulate(some, 0), _tabulate(some, 1)) for some in (parts, parts[::-1])]
    chance = repeat_chance().randbytes
    for _ in range(affordable(size, _WORK) // len(sides)):
        chosen = chance(size)
        for above, below in sides:
            part = Part(sum(map(getitem, above, chosen)), sum(map(getitem, below, chosen)))
            if any(part):
                yield part


def _tabulate(parts: list[Part], side: int) -> list[list[float]]:
    """Return the sums of all subsets of each group of parts."""
    values = [*(part[side] for part in parts), *([0.0] * (_GROUP - 1))]
    return [_add_up(values[at : at + _GROUP]) for at in range(0, len(parts), _GROUP)]


def _add_up(values: list[float]) -> list[float]:
    """Return the sum of each subset; that of the empty one comes first."""
    sums = [0.0]
    for value in values:
        sums += [one + value for one in sums]
    return sums


def repeat_chance() -> random.Random:
    """A generator that always starts at the same place."""
    return random.Random(_SEED)  # noqa: S311 -- statistics, no secrets


def affordable(size: int, work: int) -> int:
    """Return how many resamples of this size come to no more than that much work, within reason."""
    return max(_FEWEST, min(RESAMPLES, work // size))
