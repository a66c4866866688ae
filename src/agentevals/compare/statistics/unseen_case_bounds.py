"""Bounds of a mean by the case that nobody has seen: it may be as bad, or as good, as one can be.

Each case has a random weight, and the unseen one has as well (Dirichlet's distribution). A bound is
a quantile of the weighted mean (Gaffke, 2005; Learned-Miller and Thomas, arXiv:1905.06208): for
passes and failures that of Clopper and Pearson, to within a few percent. It always has a width, and
a better case never makes it worse.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import copysign, fsum, inf, log, log1p, sqrt
from statistics import NormalDist

from agentevals.compare.statistics.statistics_inputs import (
    Part,
    add_parts,
    proportion,
    require_parts,
)

_NORMAL = NormalDist()
_STEPS = 60
_HALVES = 3
_NEAR = 1e-9
_CENTRAL = 1e-3  # so near to the middle that the correction is nought by nought
_DISTINCT = 400  # parts; where there are more, neighbours are taken together
_CERTAIN = 40.0  # standard deviations
_HIGHEST = 1e12  # a ratio


@dataclass(frozen=True)
class Unseen:
    """Some parts, and the least and the most that an unseen one can be."""

    parts: Sequence[Part]
    least: Part
    most: Part

    def __post_init__(self) -> None:
        require_parts([*self.parts, self.least, self.most])

    @property
    def reach(self) -> float:
        """The distance of an unseen part from the others, at most."""
        ratio = add_parts(self.parts).ratio
        return max(self.most.ratio - ratio, ratio - self.least.ratio)

    def find_low(self, share: float) -> float:
        """Return the largest value that the true one is below with at most this chance."""
        return _find_quantile(self._count(self.least), proportion(share, "share"))

    def find_high(self, share: float) -> float:
        """Return the smallest value that the true one is above with at most this chance."""
        return _find_quantile(self._count(self.most), 1 - proportion(share, "share"))

    def doubt_above(self, limit: float) -> float:
        """Return the p value of "it is not above the limit"."""
        return _NORMAL.cdf(_score_below(self._count(self.least), limit))

    def doubt_below(self, limit: float) -> float:
        """Return the p value of "it is not below the limit"."""
        return _NORMAL.cdf(-_score_below(self._count(self.most), limit))

    def _count(self, unseen: Part) -> Counter[Part]:
        return self._counted + Counter([unseen])

    @cached_property
    def _counted(self) -> Counter[Part]:
        counted = Counter(self.parts)
        if len(counted) <= _DISTINCT:
            return counted
        ordered = sorted(self.parts, key=lambda part: (part.ratio, part))
        size = -(-len(ordered) // _DISTINCT)
        found = Counter[Part]()
        for at in range(0, len(ordered), size):
            some = ordered[at : at + size]
            total = add_parts(some)
            found[Part(total.top / len(some), total.bottom / len(some))] += len(some)
        return found


def _find_quantile(parts: Counter[Part], share: float) -> float:
    """Return what the weighted ratio is below with this chance."""
    wanted = _NORMAL.inv_cdf(share)
    ratios = [part.ratio for part in parts]
    low, high = min(ratios), max(ratios)
    if high == inf:
        high = max(1.0, *(ratio for ratio in ratios if ratio < inf))
        while high < _HIGHEST and _score_below(parts, high) < wanted:
            high *= 2
    if not low < high < _HIGHEST:
        return low if low == high else inf
    low, high = _find_crossing(lambda at: _score_below(parts, at) - wanted, low, high)
    return low if wanted < 0 else high


def _find_crossing(rise: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Return where a function leaves the negative numbers, by halves and then by secants.

    Where an end stays, its value counts half (the Illinois algorithm; Dowell and Jarratt, 1971).
    """
    below, above, last = -1.0, 1.0, 0.0
    for step in range(_STEPS):
        near = _NEAR * max(1.0, abs(low), abs(high))
        if high - low <= near:
            break
        secant = (low * above - high * below) / (above - below)
        at = (
            (low + high) / 2
            if step < _HALVES
            else min(max(secant, low + near / 2), high - near / 2)
        )
        value = rise(at)
        if value < 0:
            low, below, above = at, value, above / 2 if last < 0 else above
        else:
            high, above, below = at, value, below / 2 if last > 0 else below
        last = value
    return low, high


def _score_below(parts: Counter[Part], limit: float) -> float:
    """Return how likely the weighted ratio is to be at most the limit, as a standard score."""
    gaps = Counter[float]()
    for part, times in parts.items():
        gaps[part.top - limit * part.bottom] += times
    return score_chance(gaps)


def score_chance(numbers: Counter[float]) -> float:
    """Return how likely a sum of numbers with exponential weights is to be at most 0.

    It is the standard score of that chance, by the saddlepoint (Barndorff-Nielsen's r*).
    """
    size = max(map(abs, numbers)) or 1.0
    known = [(number / size, times) for number, times in numbers.items()]
    if max(known)[0] <= 0:
        return _CERTAIN
    if min(known)[0] >= 0:
        return -_CERTAIN
    point = _find_saddlepoint(known)
    power = -fsum(times * log1p(-point * number) for number, times in known)
    curve = _sum_powers(known, point, 2)
    root = copysign(sqrt(max(0.0, -2 * power)), point)
    if abs(root) < _CENTRAL:
        return _sum_powers(known, point, 3) / (3 * curve * sqrt(curve))
    return root + log(point * sqrt(curve) / root) / root


_Counted = list[tuple[float, int]]


def _find_saddlepoint(numbers: _Counted) -> float:
    """Return where the derivative of the cumulant generating function is 0, by Newton's steps.

    It has a pole at either end, where steps are too short to go by. No root is that near: the
    term of the pole is no larger than that of all others together.
    """
    total = sum(times for _, times in numbers)
    inside = total / (total + 1)
    low, high = inside / min(numbers)[0], inside / max(numbers)[0]
    point = 0.0
    for _ in range(_STEPS):
        slope = _sum_powers(numbers, point, 1)
        step = slope / _sum_powers(numbers, point, 2)
        if abs(step) <= _NEAR * max(1.0, abs(point)):
            return point - step
        low, high = (point, high) if slope < 0 else (low, point)
        point = point - step if low < point - step < high else (low + high) / 2
    return point


def _sum_powers(numbers: _Counted, point: float, power: int) -> float:
    return fsum(times * (n / (1 - point * n)) ** power for n, times in numbers)
