"""Wilson's interval, and Newcombe's of a paired difference."""

from math import sqrt

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from agentevals.compare.statistics.intervals import critical, estimate_difference, wilson

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


def find_newcombe(both, only_base, only_head, neither, confidence):
    """Newcombe (1998), method 10, as printed there, with the arms of scipy's Wilson intervals."""
    total = both + only_base + only_head + neither
    arms = []
    for passed in (both + only_head, both + only_base):
        interval = stats.binomtest(passed, total).proportion_ci(confidence, method="wilson")
        arms += [passed / total - interval.low, interval.high - passed / total]
    below, above, base_below, base_above = arms
    product = (
        (both + only_base) * (only_head + neither) * (both + only_head) * (only_base + neither)
    )
    excess = both * neither - only_base * only_head
    corrected = max(excess - total / 2, 0) if excess > 0 else excess
    phi = corrected / sqrt(product) if product else 0.0
    theta = (only_head - only_base) / total
    low = sqrt(max(0, below**2 - 2 * phi * below * base_above + base_above**2))
    high = sqrt(max(0, above**2 - 2 * phi * above * base_below + base_below**2))
    return max(-1, theta - low), min(1, theta + high)


def test_the_paired_difference_is_newcombes(draw, deviations):
    edges = [(9, 0, 0, 0), (0, 9, 0, 0), (0, 0, 0, 9), (5, 0, 0, 5), (0, 5, 5, 0), (1, 0, 0, 0)]
    counts = [draw.multinomial(draw.integers(1, 400), draw.dirichlet([1] * 4)) for _ in range(800)]
    for drawn in (*edges, *counts):
        four, confidence = [int(one) for one in drawn], float(draw.choice(CONFIDENCES))
        theirs = find_newcombe(*four, confidence)
        for ours, wanted in zip(estimate_difference(*four, confidence), theirs, strict=True):
            deviations.check("Newcombe, the paper by scipy's Wilson", ours, wanted, 1e-7, scale=1)


def test_the_paired_difference_holds_what_it_promises(draw, deviations):
    """Its coverage, added up over all outcomes of ten cases. The least of thousands is 91 %."""
    for _ in range(20):
        chances = draw.dirichlet([4, 1, 1, 1])
        held = sum(
            stats.multinomial.pmf([a, b, c, 10 - a - b - c], 10, chances)
            for a in range(11)
            for b in range(11 - a)
            for c in range(11 - a - b)
            if _holds((a, b, c, 10 - a - b - c), chances[2] - chances[1])
        )
        deviations.check("Newcombe, coverage at 10 cases", held, 0.95, 0.055)
        assert held >= 0.9


def _holds(counts, difference):
    low, high = estimate_difference(*counts)
    return low <= difference <= high


@pytest.mark.parametrize("total", [1, 10, 1_000])
def test_the_ends_of_wilson_are_met(total):
    assert wilson(0, total).low == 0
    assert wilson(total, total).high == 1
