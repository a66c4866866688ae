"""The bounds of a difference or a ratio, by a method that keeps its promise for such values.

A bound is one-sided: two of 2.5 % each are an interval of 95 %. A doubt is the p value of the
contrary, so that a limit lies outside an interval exactly where the doubt is small enough.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, exp, floor, fsum, inf, log
from typing import Protocol

from agentevals.compare.statistics.confidence_intervals import Interval, estimate_difference
from agentevals.compare.statistics.statistics_inputs import SHARE, Part, add_parts
from agentevals.compare.statistics.subset_bounds import Subsets
from agentevals.compare.statistics.unseen_case_bounds import Unseen

_SUBSETS_FROM = 6  # differences: the subsets of fewer are too few for an end of 2.5 %
_SPREAD_FROM = 40  # differences: among so many there is likely to be one that is rare and large
_SKEW = 30.0  # the third moment of a half, in cubes of the mean of the other; 13 in normal noise
_MANY = 1 / 3  # of the differences
_SAME = 1e-12
_STEPS = 40


class Estimate(Protocol):
    """A true value as far as it is known. `reach` is how far from it an unseen case may lie.

    That is 0 if an unseen case is taken to be like the others.
    """

    @property
    def reach(self) -> float: ...

    def find_low(self, share: float) -> float:
        """Return the largest value that the true one is below with at most this chance."""

    def find_high(self, share: float) -> float:
        """Return the smallest value that the true one is above with at most this chance."""

    def doubt_above(self, limit: float) -> float:
        """Return the p value of "it is not above the limit"."""

    def doubt_below(self, limit: float) -> float:
        """Return the p value of "it is not below the limit"."""


def make_interval(estimate: Estimate) -> Interval:
    """Return the interval that holds the true value with 95 % confidence."""
    return Interval(estimate.find_low(SHARE), estimate.find_high(SHARE))


@dataclass(frozen=True)
class Flips:
    """The difference of the shares of the same cases that pass on either side."""

    only_base: int
    only_head: int
    total: int

    @property
    def reach(self) -> float:
        return 1.0

    def find_low(self, share: float) -> float:
        return self._find_interval(share).low

    def find_high(self, share: float) -> float:
        return self._find_interval(share).high

    def doubt_above(self, limit: float) -> float:
        return _find_least(lambda share: self.find_low(share) > limit)

    def doubt_below(self, limit: float) -> float:
        return _find_least(lambda share: self.find_high(share) < limit)

    def _find_interval(self, share: float) -> Interval:
        return estimate_difference(
            self.only_base, self.only_head, self.total, confidence=1 - 2 * share
        )


def _find_least(holds: Callable[[float], bool]) -> float:
    """Return the smallest share for which something holds; 1 if it does for none below a half."""
    low, high = 0.0, 0.5 - _SAME
    if not holds(high):
        return 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if middle and holds(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class Exponential:
    """The ratio whose logarithm is estimated."""

    of: Estimate

    @property
    def reach(self) -> float:
        return self.of.reach

    def find_low(self, share: float) -> float:
        return _exp(self.of.find_low(share))

    def find_high(self, share: float) -> float:
        return _exp(self.of.find_high(share))

    def doubt_above(self, limit: float) -> float:
        return self.of.doubt_above(log(limit))

    def doubt_below(self, limit: float) -> float:
        return self.of.doubt_below(log(limit))


def _exp(value: float) -> float:
    return exp(value) if value < 700 else inf  # noqa: PLR2004 -- floats end there


@dataclass(frozen=True)
class Joined:
    """The wider of two estimates at each end, or the narrower one if each holds on its own."""

    one: Estimate
    other: Estimate
    narrower: bool = False

    @property
    def reach(self) -> float:
        return self._choose(self.one.reach, self.other.reach)

    def find_low(self, share: float) -> float:
        return -self._choose(-self.one.find_low(share), -self.other.find_low(share))

    def find_high(self, share: float) -> float:
        return self._choose(self.one.find_high(share), self.other.find_high(share))

    def doubt_above(self, limit: float) -> float:
        return self._choose(self.one.doubt_above(limit), self.other.doubt_above(limit))

    def doubt_below(self, limit: float) -> float:
        return self._choose(self.one.doubt_below(limit), self.other.doubt_below(limit))

    def _choose(self, one: float, other: float) -> float:
        return min(one, other) if self.narrower else max(one, other)


@dataclass(frozen=True)
class Ends:
    """A value whose lower end is bounded by one estimate, and the upper end by another."""

    below: Estimate
    above: Estimate

    @property
    def reach(self) -> float:
        return max(self.below.reach, self.above.reach)

    def find_low(self, share: float) -> float:
        return self.below.find_low(share)

    def find_high(self, share: float) -> float:
        return self.above.find_high(share)

    def doubt_above(self, limit: float) -> float:
        return self.below.doubt_above(limit)

    def doubt_below(self, limit: float) -> float:
        return self.above.doubt_below(limit)


def count_flips(sides: Sequence[tuple[float, float]]) -> Flips:
    """Count the cases that passed on the base alone, on the head alone, and all of them."""
    found = Counter(sides)
    return Flips(found[1.0, 0.0], found[0.0, 1.0], len(sides))


def estimate_scores(sides: Sequence[tuple[float, float]]) -> Estimate:
    """Estimate the mean difference of scores from 0 to 1, of which many are 0 or 1.

    Scores between are taken for the worse at the lower end, and for the better at the upper one.
    """
    return Ends(
        below=count_flips([(ceil(was), floor(now)) for was, now in sides]),
        above=count_flips([(floor(was), ceil(now)) for was, now in sides]),
    )


def estimate_mean_difference(parts: Sequence[Part], reach: float) -> Estimate:
    """Estimate a mean difference of which no case can have more than `reach`, either way.

    The parts are sums over families of cases and the numbers of these cases.
    """
    most = max(part.bottom for part in parts)
    unseen = Unseen(parts, least=Part(-reach * most, most), most=Part(reach * most, most))
    return _choose(parts, [part.ratio for part in parts], unseen)


def estimate_ratio(parts: Sequence[Part]) -> Estimate:
    """Estimate the ratio of two sums of amounts, such as what all cases cost here and there.

    An unseen case is taken to double or halve at most, or to change by as much as any other did.
    """
    known = [part for part in parts if any(part)] or [Part(1.0, 1.0)] * len(parts)
    base = add_parts(known).bottom / len(known)
    changes = [(part.top - part.bottom) / base for part in known] if base else []
    is_free = not all(part.bottom for part in parts)  # one of them, on the base
    if not changes or inf in changes or (is_free and len(parts) < _SUBSETS_FROM):
        return Subsets(known)  # of nothing, or of next to nothing: so few have no interval
    least = Part(base * max(0.0, 1 + min(-0.5, *changes)), base)
    unseen = Unseen(known, least, most=Part(base * (1 + max(1.0, *changes)), base))
    return _choose(known, changes, unseen)


def estimate_typical_ratio(parts: Sequence[Part]) -> Estimate:
    """Estimate the geometric mean of ratios, given their logarithms, with the same unseen case."""
    changes, size = [part.ratio for part in parts], max(part.bottom for part in parts)
    least, most = min(-log(2), *changes), max(log(2), *changes)
    unseen = Unseen(parts, least=Part(least * size, size), most=Part(most * size, size))
    return Exponential(_choose(parts, changes, unseen))


def _choose(parts: Sequence[Part], changes: Sequence[float], unseen: Estimate) -> Estimate:
    """Bound each end by what was seen, if that is noise; if not, an unseen case counts as well.

    What was seen is noise at the lower end, for example, if many rose, and the others fell no
    further than that explains. A case that rises never makes that untrue.
    """
    if len(changes) < _SUBSETS_FROM:
        return unseen
    seen = Subsets(parts)
    wider, falls = Joined(seen, unseen), [-change for change in changes]
    if len(changes) < _SPREAD_FROM or min(changes) == max(changes):
        return wider
    return Ends(
        below=seen if _is_noise(falls) else wider,
        above=seen if _is_noise(changes) else wider,
    )


def _is_noise(changes: Sequence[float]) -> bool:
    """Return whether those above 0 are no further from it than those below explain."""
    below = [-change for change in changes if change < -_SAME]
    fall = fsum(below) / len(changes)
    rise = fsum(change**3 for change in changes if change > 0) / len(changes)
    return len(below) >= _MANY * len(changes) and rise <= _SKEW * fall**3
