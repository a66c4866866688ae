"""Confidence intervals of proportions."""

from math import ceil, sqrt
from statistics import NormalDist
from typing import NamedTuple

from agentevals.compare.statistics.statistics_inputs import proportion, require_counts

_LARGEST = 1e12  # cases; nobody has more


class Interval(NamedTuple):
    """The range of the true value, with the confidence that was asked for."""

    low: float
    high: float


def wilson(successes: int, total: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion; of no cases at all it is everything, 0 to 1."""
    z = critical(confidence)
    require_counts(successes=successes, failures=total - successes)
    if not total:
        return Interval(0.0, 1.0)
    share, spread = successes / total, z * z / total
    centre = (share + spread / 2) / (1 + spread)
    half = sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    # at the ends the bound is known, and rounding must not miss it
    low = max(0.0, centre - half) if successes else 0.0
    high = min(1.0, centre + half) if successes < total else 1.0
    return Interval(low, high)


def estimate_difference(
    only_base: int, only_head: int, total: int, confidence: float = 0.95
) -> Interval:
    """The difference of two pass rates on the same cases, head minus base.

    It is that of the shares of cases that passed in one of the runs alone, so their two intervals
    of Wilson are joined, as Zou and Donner do (2008). It has a width even where no case flipped,
    because other cases might: how narrow it is depends on how many there are.
    """
    require_counts(only_base=only_base, only_head=only_head, steady=total - only_base - only_head)
    if not total:
        return Interval(-1.0, 1.0)
    agreement = _correlate(only_base, only_head, total)
    lost_below, lost_above = _arms(only_base, total, confidence)
    won_below, won_above = _arms(only_head, total, confidence)
    estimate = (only_head - only_base) / total
    low = estimate - _join(won_below, lost_above, agreement)
    high = estimate + _join(won_above, lost_below, agreement)
    return Interval(max(-1.0, low), min(1.0, high))


def find_cases_without_flips(margin: float, confidence: float = 0.95) -> int:
    """Return from how many cases on the interval is within a margin if none of them flips."""
    spread = critical(confidence) ** 2
    return max(1, ceil(min(spread * (1 - margin) / margin, _LARGEST)))


def critical(confidence: float) -> float:
    """Return how many standard errors a two-sided interval reaches to either side."""
    return NormalDist().inv_cdf((1 + proportion(confidence, "confidence")) / 2)


def _arms(successes: int, total: int, confidence: float) -> tuple[float, float]:
    interval, share = wilson(successes, total, confidence), successes / total
    return share - interval.low, interval.high - share


def _join(one: float, other: float, agreement: float) -> float:
    # one² - 2·agreement·one·other + other², in the form that rounding cannot push below zero
    return sqrt((one - other) ** 2 + 2 * (1 - agreement) * one * other)


def _correlate(only_base: int, only_head: int, total: int) -> float:
    """A case that flips one way does not flip the other way: the correlation of the two shares.

    One more case on either side keeps it from jumping where one of them is 0.
    """
    lost, won = (only_base + 1) / (total + 2), (only_head + 1) / (total + 2)
    return -sqrt(lost * won / ((1 - lost) * (1 - won)))
