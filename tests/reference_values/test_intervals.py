"""Wilson's interval, and that of a paired difference."""

from math import sqrt

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from agentevals.compare.statistics.confidence_intervals import critical, estimate_difference, wilson

EDGES = [(0, 1), (1, 1), (0, 1_000_000), (1_000_000, 1_000_000), (1, 1_000_000), (1, 2)]
CONFIDENCES = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999]


def draw_shares(draw, times=500):
    yield from EDGES
    for _ in range(times):
        total = int(draw.integers(1, 1_000))
        yield int(draw.integers(0, total + 1)), total


def test_wilson_is_that_of_scipy(draw, deviations):
    for successes, total in draw_shares(draw):
        confidence = float(draw.choice(CONFIDENCES))
        theirs = stats.binomtest(successes, total).proportion_ci(confidence, method="wilson")
        for ours, wanted in zip(wilson(successes, total, confidence), theirs, strict=True):
            deviations.check("Wilson, scipy", ours, wanted, 1e-11, scale=1e-6)


def test_wilson_is_that_of_statsmodels(draw, deviations):
    for successes, total in draw_shares(draw):
        confidence = float(draw.choice(CONFIDENCES))
        theirs = proportion_confint(successes, total, alpha=1 - confidence, method="wilson")
        for ours, wanted in zip(wilson(successes, total, confidence), theirs, strict=True):
            deviations.check("Wilson, statsmodels", ours, wanted, 1e-11, scale=1e-4)


def test_the_critical_value_is_that_of_scipy(draw, deviations):
    for confidence in [1e-9, 1 - 1e-9, *CONFIDENCES, *draw.uniform(0, 1, 200)]:
        theirs = stats.norm.ppf((1 + confidence) / 2)
        deviations.check("normal quantile, scipy", critical(confidence), theirs, 1e-9, scale=1e-9)


def join_wilson(only_base, only_head, total, confidence):
    """Zou and Donner (2008), equation 8, of two shares of one multinomial, by scipy's Wilson."""
    arms = []
    for flipped in (only_head, only_base):
        interval = stats.binomtest(flipped, total).proportion_ci(confidence, method="wilson")
        arms += [flipped / total - interval.low, interval.high - flipped / total]
    won_below, won_above, lost_below, lost_above = arms
    lost, won = (only_base + 1) / (total + 2), (only_head + 1) / (total + 2)
    phi = -sqrt(lost * won / ((1 - lost) * (1 - won)))
    theta = (only_head - only_base) / total
    low = sqrt(won_below**2 - 2 * phi * won_below * lost_above + lost_above**2)
    high = sqrt(won_above**2 - 2 * phi * won_above * lost_below + lost_below**2)
    return max(-1, theta - low), min(1, theta + high)


def test_the_paired_difference_is_that_of_zou_and_donner(draw, deviations):
    edges = [(9, 0, 0), (0, 9, 0), (0, 0, 9), (5, 0, 5), (5, 5, 0), (1, 0, 0)]
    counts = [draw.multinomial(draw.integers(1, 400), draw.dirichlet([1] * 3)) for _ in range(800)]
    for drawn in (*edges, *counts):
        (base, head, _), total = map(int, drawn), int(sum(drawn))
        confidence = float(draw.choice(CONFIDENCES))
        found = estimate_difference(base, head, total, confidence)
        for ours, wanted in zip(found, join_wilson(base, head, total, confidence), strict=True):
            deviations.check("Zou and Donner, by scipy's Wilson", ours, wanted, 1e-7, scale=1)


def test_the_paired_difference_holds_what_it_promises(draw, deviations):
    """Its coverage, added up over all outcomes of ten cases, of which half flip at the most."""
    for _ in range(20):
        lost, won = (float(each) / 2 for each in draw.dirichlet([1, 1, 4])[:2])
        held = sum(
            stats.multinomial.pmf([b, h, 10 - b - h], 10, [lost, won, 1 - lost - won])
            for b in range(11)
            for h in range(11 - b)
            if _holds((b, h, 10), won - lost)
        )
        deviations.check("paired difference, coverage at 10 cases", held, 0.97, 0.031)
        assert held >= 0.94


def _holds(counts, difference):
    low, high = estimate_difference(*counts)
    return low <= difference <= high


@pytest.mark.parametrize("total", [1, 10, 1_000])
def test_the_ends_of_wilson_are_met(total):
    assert wilson(0, total).low == 0
    assert wilson(total, total).high == 1
