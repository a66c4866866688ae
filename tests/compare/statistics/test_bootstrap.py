from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.compare.statistics.bootstrap import mean_difference, median_ratio

MILD = [0.12, -0.05, 0.3, 0.02, -0.11, 0.21, 0.4, -0.02, 0.07, 0.16]
SKEWED = [-0.02, -0.05, -0.01, 0.03, -0.9, 0.02, -0.04, 0.01, -0.3, 0.05, 0.0, -0.07]
FLIPS = [0, 0, 0, 0, 0, 0, 1, 0, -1, 0, 0, 0, 1, 1, 0, 0, 0, -1, 0, 1]
SCORES = st.lists(st.floats(-1, 1), min_size=2, max_size=12)
COSTS = st.lists(st.floats(0.01, 100), min_size=2, max_size=12)
few = settings(max_examples=20, deadline=None)


# scipy 1.17.1: bootstrap((differences,), mean, n_resamples=400_000, method="BCa", rng=1); the
# tolerance is three standard errors of a bound that 9,999 resamples give
@pytest.mark.parametrize(
    ("differences", "confidence", "low", "high", "tolerance"),
    [
        (MILD, 0.95, 0.0230, 0.2140, 0.006),
        (MILD, 0.90, 0.0360, 0.1960, 0.006),
        (SKEWED, 0.95, -0.3808, -0.0150, 0.015),
        (SKEWED, 0.90, -0.3225, -0.0233, 0.015),
        (FLIPS, 0.95, -0.15, 0.35, 1e-9),
        (FLIPS, 0.90, -0.10, 0.30, 1e-9),
    ],
)
def test_the_interval_of_the_mean_is_bca(differences, confidence, low, high, tolerance):
    interval = mean_difference(differences, confidence)

    assert interval == pytest.approx((low, high), abs=tolerance)


@pytest.mark.parametrize("differences", [[], [0.0], [0.3]])
def test_fewer_than_two_cases_have_no_interval(differences):
    assert mean_difference(differences) is None


@pytest.mark.parametrize("value", [0.0, 0.1, -0.7, 1e308])
@pytest.mark.parametrize("cases", [2, 9, 10, 333])
def test_equal_differences_have_an_interval_without_width(value, cases):
    assert mean_difference([value] * cases) == (value, value)


@few
@given(SCORES, st.floats(0.05, 0.999))
def test_the_interval_holds_the_mean_and_stays_among_the_differences(differences, confidence):
    low, high = mean_difference(differences, confidence)
    mean, rounding = sum(differences) / len(differences), 1e-12

    assert min(differences) - rounding <= low <= mean + rounding
    assert mean - rounding <= high <= max(differences) + rounding


@pytest.mark.parametrize("sign", [1, -1])
def test_the_interval_holds_the_mean_even_where_an_outlier_moves_both_bounds(sign):
    differences = [sign * value for value in (1.0, 4.0, 2.5, 0.5, 9.0, 3.0, 0.7, 30.0, 1.2)]
    low, high = mean_difference(differences, confidence=0.05)

    assert low <= sum(differences) / 9 + 1e-12
    assert high >= sum(differences) / 9 - 1e-12


def test_a_confidence_beyond_every_resample_reaches_to_the_outermost():
    low, high = mean_difference([0.0] * 99 + [1.0], confidence=1 - 1e-9)

    assert low == 0
    assert high >= 0.05


@few
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=12))
def test_swapping_base_and_head_mirrors_the_interval(twentieths):
    differences = [value / 20 for value in twentieths]
    low, high = mean_difference(differences)

    mirrored = mean_difference([-value for value in differences])

    assert mirrored == pytest.approx((-high, -low), abs=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e6, 1e307])
def test_the_unit_does_not_matter(scale):
    low, high = mean_difference(MILD)

    scaled = mean_difference([scale * value for value in MILD])

    assert scaled == pytest.approx((scale * low, scale * high), rel=1e-9)


def test_more_confidence_is_wider():
    (low, high), (lower, higher) = mean_difference(MILD, 0.8), mean_difference(MILD, 0.99)

    assert lower < low < high < higher


def test_chance_repeats_itself():
    assert mean_difference(MILD) == mean_difference(tuple(MILD))
    assert median_ratio(BASE, HEAD) == median_ratio(tuple(BASE), tuple(HEAD))


BASE = [
    *(7.542, 0.757, 3.35, 2.046, 2.168, 2.44, 0.99, 2.421, 1.764, 14.318, 3.043, 2.279, 2.362),
    *(1.946, 1.604, 2.236, 3.459, 2.413, 4.388, 2.46, 2.751, 5.888, 3.57, 2.111, 2.481, 3.562),
    *(7.153, 2.375, 2.407, 4.487),
]
HEAD = [
    *(6.981, 0.789, 4.417, 2.539, 2.44, 3.083, 0.621, 3.282, 1.609, 11.334, 3.554, 2.897, 2.388),
    *(1.734, 1.782, 2.445, 5.064, 3.097, 5.041, 3.396, 2.918, 5.407, 4.434, 2.621, 2.627, 3.366),
    *(8.276, 1.594, 3.054, 5.471),
]


def test_the_interval_of_a_ratio_is_that_of_resampled_pairs():
    # scipy 1.17.1: bootstrap((BASE, HEAD), median(head) / median(base), paired=True,
    # n_resamples=200_000, method="percentile", rng=1); a bound is a ratio of few possible medians
    assert median_ratio(BASE, HEAD) == pytest.approx((1.0691, 1.3556), abs=0.01)


@few
@given(st.lists(st.floats(0, 100), min_size=2, max_size=12))
def test_the_same_values_have_a_ratio_of_exactly_1(values):
    assert median_ratio(values, values) == (1.0, 1.0)


@few
@given(COSTS, st.floats(0.1, 10))
def test_values_that_all_grew_alike_have_an_interval_without_width(base, factor):
    assert median_ratio(base, [factor * value for value in base]) == pytest.approx((factor, factor))


@few
@given(st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=2, max_size=12))
def test_swapping_base_and_head_gives_the_reciprocal(pairs):
    base, head = zip(*pairs, strict=True)
    low, high = median_ratio(base, head)

    assert median_ratio(head, base) == pytest.approx((1 / high, 1 / low))


@few
@given(st.lists(st.tuples(st.floats(0.01, 100), st.floats(0, 100)), min_size=3, max_size=9))
def test_the_interval_holds_the_ratio(pairs):
    pairs = pairs if len(pairs) % 2 else pairs[1:]
    base, head = zip(*pairs, strict=True)
    middle = len(pairs) // 2
    low, high = median_ratio(base, head)

    assert low <= sorted(head)[middle] / sorted(base)[middle] <= high


def test_the_interval_holds_the_ratio_even_where_other_ratios_are_likelier():
    base, head = [1, 3, 1, 20, 1], [3, 20, 9, 9, 2]
    low, high = median_ratio(base, head, confidence=0.2)

    assert low <= 9 / 1 <= high


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ([], []),
        ([1.0], [2.0]),
        ([0, 0, 0], [1, 2, 3]),
        ([0, 0, 5], [0, 1, 5]),
        ([0, 0, 1, 1, 1], [1, 1, 1, 1, 1]),  # two zeros of five are often the median
    ],
)
def test_where_nothing_bounds_the_ratio_there_is_none(base, head):
    assert median_ratio(base, head) is None


@pytest.mark.parametrize(
    ("base", "head", "interval"),
    [
        ([0, 0, 0], [0, 0, 0], (1.0, 1.0)),
        ([2, 2, 2], [0, 0, 0], (0.0, 0.0)),
        ([2] * 9, [3] * 9, (1.5, 1.5)),
        ([0, *[2] * 40], [0, *[1] * 40], (0.5, 0.5)),
        ([1e308] * 10, [1e308] * 10, (1.0, 1.0)),
        ([1e308] * 10, [5e307] * 10, (0.5, 0.5)),
    ],
)
def test_zeros_and_ties(base, head, interval):
    assert median_ratio(base, head) == interval


@pytest.mark.parametrize(
    ("base", "head", "why"),
    [
        ([1, 2], [1], "2 values of the base and 1 of the head are no pairs"),
        ([1, 2], [1, -2], "values from 0 upwards"),
        ([1, -2], [1, 2], "values from 0 upwards"),
    ],
)
def test_what_has_no_ratio_is_refused(base, head, why):
    with pytest.raises(ValueError, match=why):
        median_ratio(base, head)


def test_very_many_cases_are_resampled_less_often():
    random = Random(3)
    differences = [random.gauss(0.1, 1) for _ in range(20_000)]
    mean = sum(differences) / len(differences)

    # mean plus and minus 1.96 / sqrt(20,000)
    assert mean_difference(differences) == pytest.approx((mean - 0.0139, mean + 0.0139), abs=0.003)
