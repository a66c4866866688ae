"""Intervals from resampling the cases: which values would other such cases have given?"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import fsum, inf, isfinite
from statistics import NormalDist, fmean

from agentevals.compare.statistics import resampling
from agentevals.compare.statistics.domain import finite, proportion
from agentevals.compare.statistics.intervals import Interval

_FEWEST = 2  # cases: one tells nothing about others
_WORK_OF_MEANS = 2_000_000
_WORK_OF_MEDIANS = 1_000_000
_TIE = 1e-9  # means of differences that are at most 1 and add up in another order
_NORMAL = NormalDist()


def mean_difference(differences: Sequence[float], confidence: float = 0.95) -> Interval | None:
    """The BCa interval (Efron, 1987) of the mean difference; it always holds the mean itself.

    None for fewer than two cases, which tell nothing about others. Where all differences are
    equal, resampling them cannot give anything else, and the interval has no width.
    """
    values = finite(differences)
    tail = (1 - proportion(confidence, "confidence")) / 2
    if len(values) < _FEWEST:
        return None
    if min(values) == max(values):
        return Interval(values[0], values[0])
    scale = max(map(abs, values))
    values = [value / scale for value in values]
    mean, means = fmean(values), _means(values)
    bias, acceleration = _bias(means, mean), _acceleration(values, mean)
    low = _pick(means, _adjust(tail, bias, acceleration))
    high = _pick(means, _adjust(1 - tail, bias, acceleration))
    return Interval(scale * min(low, mean), scale * max(high, mean))


def median_ratio(
    base: Sequence[float], head: Sequence[float], confidence: float = 0.95
) -> Interval | None:
    """The percentile interval of median(head) / median(base), pairs resampled as pairs.

    For what is counted or measured from zero: calls, tokens, seconds, money. Two medians of zero
    are equal, ratio 1. None for fewer than two cases, and where nothing bounds the ratio because
    the median of the base is zero, or would be among other such cases.
    """
    pairs = _pairs(base, head)
    tail = (1 - proportion(confidence, "confidence")) / 2
    ratio = _ratio(pairs) if len(pairs) >= _FEWEST else inf
    if not isfinite(ratio):
        return None
    draw, size = resampling.chance().choices, len(pairs)
    ratios = sorted(
        _ratio(draw(pairs, k=size)) for _ in range(resampling.affordable(size, _WORK_OF_MEDIANS))
    )
    low, high = (
        min(_pick(ratios, tail), ratio),
        max(_pick(ratios, 1 - tail), ratio),
    )
    return Interval(low, high) if isfinite(high) else None


def _means(values: list[float]) -> list[float]:
    draw, size = resampling.chance().choices, len(values)
    resamples = resampling.affordable(size, _WORK_OF_MEANS)
    return sorted(sum(draw(values, k=size)) / size for _ in range(resamples))


def _bias(means: list[float], mean: float) -> float:
    """Return how far the median of the resamples lies from the observed one, in standard errors."""
    # never 0 or 1: more than one resample in nine falls on either side, whatever was seen
    below = bisect_left(means, mean - _TIE) + bisect_right(means, mean + _TIE)
    return _NORMAL.inv_cdf(below / (2 * len(means)))


def _acceleration(values: list[float], mean: float) -> float:
    """Return how the standard error changes with the mean: the jackknife, in closed form."""
    cubes = fsum((value - mean) ** 3 for value in values)
    squares = fsum((value - mean) ** 2 for value in values)
    return float(cubes / (6 * squares**1.5))


def _adjust(share: float, bias: float, acceleration: float) -> float:
    shifted = bias + _NORMAL.inv_cdf(share)
    # where the denominator vanishes the bound is the outermost resample
    return _NORMAL.cdf(bias + shifted / max(1e-9, 1 - acceleration * shifted))


def _pick(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _pairs(base: Sequence[float], head: Sequence[float]) -> list[tuple[float, float]]:
    if len(base) != len(head):
        msg = f"{len(base)} values of the base and {len(head)} of the head are no pairs"
        raise ValueError(msg)
    pairs = list(zip(finite(base), finite(head), strict=True))
    if any(min(pair) < 0 for pair in pairs):
        msg = "a ratio needs values from 0 upwards, and there is one below"
        raise ValueError(msg)
    return pairs


def _ratio(pairs: list[tuple[float, float]]) -> float:
    base, head = (_median(sorted(values)) for values in zip(*pairs, strict=True))
    if base == head:
        return 1.0
    return head / base if base else inf


def _median(ordered: list[float]) -> float:
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return low + (high - low) / 2
