"""Bounds from the ratios of subsets: what the sign-flip test gives when it is inverted."""

from fractions import Fraction
from itertools import product
from math import inf
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.compare.statistics.statistics_inputs import Part
from agentevals.compare.statistics.subset_bounds import (
    RESAMPLES,
    Subsets,
    affordable,
    repeat_chance,
)

SHARE = 0.025
WHOLE = st.lists(st.integers(-9, 9), min_size=1, max_size=9)
PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=9)
quick = settings(deadline=None, max_examples=60)


def of_values(values):
    return Subsets([Part(float(value)) for value in values])


def of_pairs(pairs):
    return Subsets([Part(float(top), float(bottom)) for top, bottom in pairs])


def flip_signs(gaps):
    """Return the share of all sign flips that reach as far up as what was seen, by counting."""
    flips = [
        sum(map(Fraction.__mul__, gaps, signs)) for signs in product((1, -1), repeat=len(gaps))
    ]
    return sum(one >= sum(gaps) for one in flips) / len(flips)


@quick
@given(WHOLE, st.fractions(-9, 9, max_denominator=4))
def test_the_doubt_is_the_p_value_of_the_sign_flip_test(values, limit):
    gaps = [Fraction(value) - limit for value in values]
    estimate = of_values(values)

    assert estimate.doubt_above(float(limit)) == pytest.approx(flip_signs(gaps))
    assert estimate.doubt_below(float(limit)) == pytest.approx(flip_signs([-g for g in gaps]))


@quick
@given(PAIRS, st.fractions(0, 4, max_denominator=4))
def test_so_it_is_of_a_ratio(pairs, limit):
    gaps = [top - limit * bottom for top, bottom in pairs]

    assert of_pairs(pairs).doubt_above(float(limit)) == pytest.approx(flip_signs(gaps))


@quick
@given(WHOLE, st.floats(0.001, 0.5))
def test_a_limit_is_beyond_a_bound_where_the_test_rejects_it(values, share):
    estimate = of_values(values)
    low, high = estimate.find_low(share), estimate.find_high(share)

    for limit in {value + shift for value in values for shift in (-0.3, 0.0, 0.3)}:
        assert (limit < low) is (estimate.doubt_above(limit) <= share)
        assert (limit > high) is (estimate.doubt_below(limit) <= share)


@pytest.mark.parametrize("cases", [1, 2, 3, 4, 5])
def test_so_few_cases_bound_nothing(cases):
    estimate = of_values([0.5] * cases)

    assert (estimate.find_low(SHARE), estimate.find_high(SHARE)) == (-inf, inf)


def test_six_equal_cases_are_as_sure_as_six_heads_of_a_coin():
    estimate = of_values([-0.5] * 6)

    assert estimate.doubt_below(0.0) == 1 / 2**6
    assert estimate.find_high(SHARE) == -0.5


def test_sums_that_differ_by_rounding_only_are_ties():
    # in thirds, as of three attempts, the same differences are whole numbers
    thirds = [-2, -1, -1, 1, -1, 2, -3, -1]
    as_floats = [(third % 3 + third) / 3 - (third % 3) / 3 for third in thirds]

    for limit in (0, -1):
        below = of_values(as_floats).doubt_below(limit / 3)
        assert below == of_values(thirds).doubt_below(limit)


@quick
@given(st.lists(st.floats(-1, 1), min_size=6, max_size=40), st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(values, random):
    estimate, shuffled = of_values(values), of_values(random.sample(values, k=len(values)))

    assert shuffled.find_low(SHARE) == estimate.find_low(SHARE)
    assert shuffled.doubt_below(0.1) == estimate.doubt_below(0.1)


@quick
@given(st.lists(st.floats(-1, 1), min_size=6, max_size=40))
def test_the_interval_holds_the_mean_and_lies_among_the_values(values):
    estimate = of_values(values)
    low, high = estimate.find_low(SHARE), estimate.find_high(SHARE)
    mean = sum(values) / len(values)

    assert min(values) - 1e-12 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= max(values) + 1e-12


@quick
@given(st.lists(st.floats(-1, 1), min_size=6, max_size=40), st.data())
def test_a_better_case_never_makes_it_worse(values, data):
    place = data.draw(st.integers(0, len(values) - 1))
    better = [*values]
    better[place] = data.draw(st.floats(values[place], 1))
    was, now = of_values(values), of_values(better)

    assert now.find_low(SHARE) >= was.find_low(SHARE) - 1e-12
    assert now.find_high(SHARE) >= was.find_high(SHARE) - 1e-12
    assert now.doubt_above(0.05) <= was.doubt_above(0.05)


@quick
@given(
    st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=6, max_size=40), st.data()
)
def test_a_cheaper_case_never_makes_a_ratio_larger(pairs, data):
    place = data.draw(st.integers(0, len(pairs) - 1))
    cheaper = [*pairs]
    cheaper[place] = (data.draw(st.floats(0.05, pairs[place][0])), pairs[place][1])

    was, now = of_pairs(pairs), of_pairs(cheaper)

    assert now.find_high(SHARE) <= was.find_high(SHARE) * (1 + 1e-12)
    assert now.doubt_below(1.2) <= was.doubt_below(1.2)


@pytest.mark.parametrize("cases", [6, 12, 13, 40, 200])
def test_swapping_base_and_head_mirrors_it(cases):
    random = Random(cases)
    values = [random.gauss(0.1, 1) for _ in range(cases)]
    estimate, mirrored = of_values(values), of_values([-value for value in values])

    assert mirrored.find_low(SHARE) == pytest.approx(-estimate.find_high(SHARE))
    assert mirrored.doubt_below(-0.1) == estimate.doubt_above(0.1)


@pytest.mark.parametrize("cases", [12, 13, 30, 100])
def test_random_subsets_say_what_all_say(cases):
    """Whole numbers, of which every subset can be counted by its size and its sum."""
    random = Random(7)
    values = [random.choice([-2, -1, 0, 1, 3]) for _ in range(cases)]
    ways = {(0, 0): 1}
    for value in values:
        for (size, total), number in list(ways.items()):
            key = (size + 1, total + value)
            ways[key] = ways.get(key, 0) + number
    del ways[0, 0]
    as_low = sum(number for (size, total), number in ways.items() if total <= 0)

    exact = (as_low + 1) / 2**cases

    assert of_values(values).doubt_above(0.0) == pytest.approx(exact, abs=0.02)


def test_cases_of_nothing_say_nothing_of_a_ratio():
    pairs = [(2, 1), (3, 2), (1, 1), (5, 2), (4, 3), (2, 2)]
    plain, beside_nothing = of_pairs(pairs), of_pairs([(0, 0)] * 6 + pairs)

    assert beside_nothing.find_low(SHARE) == plain.find_low(SHARE)
    assert beside_nothing.doubt_above(1.1) == pytest.approx(plain.doubt_above(1.1), abs=0.01)


@pytest.mark.parametrize("size", [1e-300, 1e15, 1e300])
def test_the_unit_does_not_matter(size):
    values = [0.3, -0.1, 0.2, 0.4, 0.15, 0.1, -0.05, 0.2]

    low = of_values(values).find_low(SHARE)

    assert of_values([size * value for value in values]).find_low(SHARE) == pytest.approx(
        size * low
    )


def test_very_many_cases_are_sampled_less_often():
    random = Random(3)
    estimate = of_values([random.gauss(0.1, 1) for _ in range(100_000)])

    low, high = estimate.find_low(SHARE), estimate.find_high(SHARE)

    # 1.96 / sqrt(100,000) either way
    assert high - low == pytest.approx(2 * 0.0062, abs=0.003)
    assert low < 0.1 + 0.004
    assert estimate.doubt_above(0.05) < 0.01


def test_chance_repeats_itself():
    values = [Random(seed).gauss(0, 1) for seed in range(60)]

    assert of_values(values).find_low(SHARE) == of_values(values).find_low(SHARE)


@pytest.mark.parametrize("share", [0, 1, -0.1, inf])
def test_a_chance_of_an_error_is_a_share(share):
    with pytest.raises(ValueError, match=r"share is .+, and must lie between 0 and 1"):
        of_values([0.1] * 8).find_low(share)
    with pytest.raises(ValueError, match=r"share is .+, and must lie between 0 and 1"):
        of_values([0.1] * 8).find_high(share)


def test_nobody_unseen_is_feared():
    assert of_values([0.1, 0.2]).reach == 0.0


@pytest.mark.parametrize(
    ("size", "resamples"),
    [(2, RESAMPLES), (200, RESAMPLES), (1_000, 2_000), (5_000, 400), (1_000_000, 399)],
)
def test_many_cases_are_resampled_less_often(size, resamples):
    assert affordable(size, 2_000_000) == resamples


def test_chance_starts_at_the_same_place_every_time():
    first, second = repeat_chance(), repeat_chance()

    assert first is not second
    assert first.randbytes(64) == second.randbytes(64)
