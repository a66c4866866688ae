"""Bounds by the unseen case, and by subsets."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from agentevals.compare.statistics.statistics_inputs import Part
from agentevals.compare.statistics.subset_bounds import Subsets
from agentevals.compare.statistics.unseen_case_bounds import Unseen

SHARE = 0.025


def of_passes(passed, total):
    parts = [Part(1.0)] * passed + [Part(0.0)] * (total - passed)
    return Unseen(parts, Part(0.0), Part(1.0))


@pytest.mark.parametrize(("least", "most", "apart"), [(1, 9, 0.07), (10, 2_000, 0.035)])
def test_of_passes_the_unseen_case_gives_clopper_and_pearsons(least, most, apart, draw, deviations):
    """Relative to how far the bound is from the end of the scale."""
    random = [(int(draw.integers(0, n + 1)), int(n)) for n in draw.integers(least, most, 150)]
    for passed, total in [(0, least), (least, least), (1, most), (most, most), *random]:
        share = float(draw.choice([0.005, 0.025, 0.05, 0.1]))
        estimate = of_passes(passed, total)
        theirs = proportion_confint(passed, total, alpha=2 * share, method="beta")
        for ours, wanted in zip(
            (estimate.find_low(share), estimate.find_high(share)), theirs, strict=True
        ):
            deviations.check(
                f"Clopper-Pearson, {least} to {most} cases, statsmodels",
                *((ours, wanted) if wanted < 0.5 else (1 - ours, 1 - wanted)),
                apart,
                scale=1e-9,
            )


@pytest.mark.parametrize(("least", "most", "apart"), [(1, 9, 0.07), (10, 300, 0.05)])
def test_its_doubts_are_those_of_the_binomial_test(least, most, apart, draw, deviations):
    for total in map(int, draw.integers(least, most, 200)):
        passed, limit = int(draw.integers(0, total + 1)), float(draw.uniform(0.01, 0.99))
        estimate, test = of_passes(passed, total), stats.binomtest
        for side, ours in (
            ("greater", estimate.doubt_above(limit)),
            ("less", estimate.doubt_below(limit)),
        ):
            wanted = test(passed, total, limit, alternative=side).pvalue
            deviations.check(
                f"binomial test, {least} to {most} cases, scipy", ours, wanted, apart, scale=1e-4
            )


@pytest.mark.parametrize("cases", [1, 2, 3, 5, 10, 30, 100])
def test_of_any_values_it_is_the_quantile_of_dirichlets_distribution(cases, draw, deviations):
    """Numpy draws the weights; relative to the width of the interval."""
    values = draw.uniform(-0.5, 0.5, cases)
    estimate = Unseen([Part(float(one)) for one in values], Part(-1.0), Part(1.0))
    weights = draw.dirichlet([1] * (cases + 1), 200_000)
    low = np.quantile(weights @ np.append(values, -1), SHARE)
    high = np.quantile(weights @ np.append(values, 1), 1 - SHARE)

    found = estimate.find_low(SHARE), estimate.find_high(SHARE)

    for ours, wanted in zip(found, (low, high), strict=True):
        deviations.check("Dirichlet, numpy", ours, wanted, 0.02, scale=high - low)


@pytest.mark.parametrize("cases", [2, 5, 20, 100])
def test_of_a_ratio_as_well(cases, draw, deviations):
    base = draw.lognormal(0, 1, cases)
    head = base * draw.choice([1, 1, 1, 1.5, 0.7], cases)
    parts = [Part(float(now), float(was)) for now, was in zip(head, base, strict=True)]
    unseen = float(base.mean())
    estimate = Unseen(parts, Part(unseen / 2, unseen), Part(2 * unseen, unseen))
    weights, bottoms = draw.dirichlet([1] * (cases + 1), 200_000), np.append(base, unseen)
    low = np.quantile(weights @ np.append(head, unseen / 2) / (weights @ bottoms), SHARE)
    high = np.quantile(weights @ np.append(head, 2 * unseen) / (weights @ bottoms), 1 - SHARE)

    found = estimate.find_low(SHARE), estimate.find_high(SHARE)

    for ours, wanted in zip(found, (low, high), strict=True):
        deviations.check("Dirichlet, a ratio, numpy", ours, wanted, 0.03, scale=high - low)


@pytest.mark.parametrize("spread", [0.5, 1.5, 3.0])
def test_many_distinct_numbers_are_rounded_without_harm(spread, draw, deviations):
    """A thousand costs of which the largest are thousands of times the smallest."""
    base = draw.lognormal(0, spread, 1_000)
    head = base * np.where(np.arange(1_000) < 450, 1.2, 1.0)
    parts = [Part(float(now), float(was)) for now, was in zip(head, base, strict=True)]
    unseen = float(base.mean())
    estimate = Unseen(parts, Part(unseen / 2, unseen), Part(2 * unseen, unseen))
    tops, bottoms = np.append(head, 2 * unseen), np.append(base, unseen)
    drawn = np.concatenate(
        [
            (weights @ tops) / (weights @ bottoms)
            for weights in (draw.standard_exponential((1_000, 1_001)) for _ in range(60))
        ]
    )
    high, width = np.quantile(drawn, 1 - SHARE), np.quantile(drawn, 1 - SHARE) - drawn.mean()

    deviations.check(
        "Dirichlet, 1,000 numbers, numpy", estimate.find_high(SHARE), high, 0.05, scale=width
    )


def flip_signs(gaps):
    """The p values of the sign-flip test by all flips: as far up, and as far down."""
    sums = [np.dot(gaps, signs) for signs in product((1.0, -1.0), repeat=len(gaps))]
    noise = 1e-9 * np.abs(gaps).sum()
    return np.mean(sums >= sums[0] - noise), np.mean(sums <= sums[0] + noise)


def test_subsets_are_the_sign_flip_test_inverted(draw, deviations):
    for _ in range(150):
        grid, cases = int(draw.choice([3, 10, 1_000_000])), int(draw.integers(1, 10))
        values = draw.integers(-grid, grid, cases, endpoint=True) / grid
        estimate = Subsets([Part(float(one)) for one in values])
        limit = float(draw.choice([0.0, 0.1234567, *values]))
        above, below = flip_signs(values - limit)
        ours = estimate.doubt_above(limit), estimate.doubt_below(limit)
        deviations.check("Hartigan, all sign flips", ours[0], above, 1e-9)
        deviations.check("Hartigan, all sign flips", ours[1], below, 1e-9)
        if cases > 5:
            low, high = estimate.find_low(SHARE), estimate.find_high(SHARE)
            assert flip_signs(values - low + 1e-6)[0] <= SHARE < flip_signs(values - low - 1e-6)[0]
            assert (
                flip_signs(values - high - 1e-6)[1] <= SHARE < flip_signs(values - high + 1e-6)[1]
            )


def test_they_are_scipys_permutation_test(draw, deviations):
    for _ in range(40):
        values, limit = draw.normal(0.2, 1, draw.integers(3, 10)), float(draw.uniform(-0.5, 0.5))
        test = stats.permutation_test(
            (values - limit,),
            np.sum,
            permutation_type="samples",
            alternative="greater",
            n_resamples=np.inf,
            vectorized=False,
        )
        ours = Subsets([Part(float(one)) for one in values]).doubt_above(limit)
        deviations.check("Hartigan, scipy's permutation_test", ours, test.pvalue, 1e-9)


def test_of_a_ratio_they_are_the_test_of_what_is_left(draw, deviations):
    for _ in range(100):
        cases = int(draw.integers(1, 10))
        base, head = draw.uniform(0.1, 9, cases), draw.uniform(0, 9, cases)
        limit = float(draw.uniform(0.5, 1.5))
        parts = [Part(float(now), float(was)) for now, was in zip(head, base, strict=True)]
        above = flip_signs(head - limit * base)[0]
        deviations.check("Hartigan, ratio", Subsets(parts).doubt_above(limit), above, 1e-9)


@pytest.mark.parametrize("cases", [40, 200, 1_000])
def test_of_much_even_noise_they_are_as_wide_as_students_t(cases, draw, deviations):
    values = draw.normal(0.1, 1, cases)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    estimate = Subsets([Part(float(one)) for one in values])

    found = estimate.find_low(SHARE), estimate.find_high(SHARE)

    for ours, wanted in zip(found, theirs, strict=True):
        deviations.check(
            "Hartigan, Student's t", ours, wanted, 0.05, scale=theirs.high - theirs.low
        )
