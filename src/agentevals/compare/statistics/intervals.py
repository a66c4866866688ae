"""Confidence intervals of proportions."""

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from agentevals.compare.statistics.domain import proportion, require_counts


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
    both: int, only_base: int, only_head: int, neither: int, confidence: float = 0.95
) -> Interval:
    """The difference of two pass rates on the same cases, head minus base.

    The four numbers say how many cases passed in both runs, in one of them, or in neither.
    This is Newcombe's square-and-add interval (1998, method 10). It has a width even where no case
    flipped, because other cases might: how narrow it is depends on how many there are.
    """
    require_counts(both=both, only_base=only_base, only_head=only_head, neither=neither)
    total = both + only_base + only_head + neither
    if not total:
        return Interval(-1.0, 1.0)
    agreement = _correlation(both, only_base, only_head, neither)
    base_below, base_above = _arms(both + only_base, total, confidence)
    head_below, head_above = _arms(both + only_head, total, confidence)
    estimate = (only_head - only_base) / total
    low = estimate - _join(head_below, base_above, agreement)
    high = estimate + _join(head_above, base_below, agreement)
    return Interval(max(-1.0, low), min(1.0, high))


def critical(confidence: float) -> float:
    """Return how many standard errors a two-sided interval reaches to either side."""
    return NormalDist().inv_cdf((1 + proportion(confidence, "confidence")) / 2)


def _arms(successes: int, total: int, confidence: float) -> tuple[float, float]:
    interval, share = wilson(successes, total, confidence), successes / total
    return share - interval.low, interval.high - share


def _join(one: float, other: float, agreement: float) -> float:
    # one² - 2·agreement·one·other + other², in the form that rounding cannot push below zero
    return sqrt((one - other) ** 2 + 2 * (1 - agreement) * one * other)


def _correlation(both: int, only_base: int, only_head: int, neither: int) -> float:
    """The phi coefficient; a positive one is corrected for continuity, as method 10 asks."""
    total = both + only_base + only_head + neither
    product = (
        (both + only_base) * (only_head + neither) * (both + only_head) * (only_base + neither)
    )
    if not product:
        return 0.0
    agreement: float = both * neither - only_base * only_head
    if agreement > 0:
        agreement = max(0.0, agreement - total / 2)
    return agreement / sqrt(product)
