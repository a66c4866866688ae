"""Bounds by the case that nobody has seen: those of Clopper and Pearson, for any values."""

from collections import Counter
from math import comb, fsum, inf

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from agentevals.compare.statistics.statistics_inputs import Part
from agentevals.compare.statistics.unseen_case_bounds import Unseen, score_chance

SHARE = 0.025
SCORES = st.lists(st.floats(-1, 1), min_size=1, max_size=12)
AMOUNTS = st.lists(st.tuples(st.floats(0, 10), st.floats(0.1, 10)), min_size=1, max_size=12)
SHARES = st.floats(1e-6, 0.5)
ROUNDING = 1e-7
quick = settings(deadline=None, max_examples=50)


def of_scores(values):
    return Unseen([Part(value) for value in values], Part(-1.0), Part(1.0))


def of_amounts(amounts, most=20.0):
    return Unseen([Part(*amount) for amount in amounts], Part(0.0, 1.0), Part(most, 1.0))


def of_passes(passed, failed):
    return Unseen([Part(1.0)] * passed + [Part(0.0)] * failed, Part(0.0), Part(1.0))


def find_chance(least, total, share):
    """Return the chance of at least so many successes."""
    ways = (comb(total, n) * share**n * (1 - share) ** (total - n) for n in range(least, total + 1))
    return fsum(ways)


@pytest.mark.parametrize(
    ("passed", "total"), [(1, 2), (3, 5), (9, 10), (27, 30), (30, 30), (2, 90)]
)
@pytest.mark.parametrize("share", [0.2, 0.05, 0.025, 0.005])
def test_the_bounds_of_passes_are_those_of_clopper_and_pearson(passed, total, share):
    """At their bounds, as many passes as were seen have just the chance that was asked for."""
    estimate = of_passes(passed, total - passed)

    low, high = estimate.find_low(share), estimate.find_high(share)

    assert find_chance(passed, total, low) == pytest.approx(share, rel=0.06)
    if passed < total:
        assert 1 - find_chance(passed + 1, total, high) == pytest.approx(share, rel=0.06)


@pytest.mark.parametrize(("passed", "total"), [(0, 1), (1, 5), (9, 10), (27, 30), (290, 300)])
@pytest.mark.parametrize("limit", [0.2, 0.5, 0.8, 0.95])
def test_the_doubts_of_passes_are_those_of_the_binomial_test(passed, total, limit):
    estimate = of_passes(passed, total - passed)
    as_many, as_few = (
        find_chance(passed, total, limit),
        1 - find_chance(passed + 1, total, limit),
    )

    assert estimate.doubt_above(limit) == pytest.approx(as_many, rel=0.06, abs=1e-9)
    assert estimate.doubt_below(limit) == pytest.approx(as_few, rel=0.06, abs=1e-9)


@pytest.mark.parametrize("cases", [1, 3, 10, 100, 1_000])
def test_where_nothing_was_seen_the_rule_of_three_holds(cases):
    """A loss of which none of n cases shows any is below 1 - share ** (1 / n)."""
    low = of_scores([0.0] * cases).find_low(SHARE)

    assert -low == pytest.approx(1 - SHARE ** (1 / cases), rel=0.04)


def test_of_two_values_the_weight_is_uniform():
    """One case and the unseen one: 2.5 % of the way from the one to the other."""
    estimate = Unseen([Part(3.0)], Part(1.0), Part(5.0))

    assert estimate.find_low(SHARE) == pytest.approx(1.05, abs=0.01)
    assert estimate.find_high(SHARE) == pytest.approx(4.95, abs=0.01)


@quick
@given(SCORES, SHARES)
def test_it_always_has_a_width_and_stays_within_what_is_possible(values, share):
    estimate = of_scores(values)
    low, high = estimate.find_low(share), estimate.find_high(share)

    assert -1 <= low < high <= 1


@quick
@given(SCORES)
def test_the_interval_holds_the_mean(values):
    estimate = of_scores(values)

    mean = sum(values) / len(values)

    assert estimate.find_low(SHARE) - ROUNDING <= mean <= estimate.find_high(SHARE) + ROUNDING


@quick
@given(SCORES)
@example([0.796875])  # a root that one step finds exactly
def test_swapping_base_and_head_mirrors_it(values):
    estimate, mirrored = of_scores(values), of_scores([-value for value in values])

    assert mirrored.find_low(SHARE) == pytest.approx(-estimate.find_high(SHARE), abs=ROUNDING)
    assert mirrored.doubt_below(0.1) == pytest.approx(estimate.doubt_above(-0.1), abs=1e-5)


@quick
@given(AMOUNTS)
def test_swapping_the_sums_gives_the_reciprocal(amounts):
    assume(all(top >= 0.1 for top, _ in amounts))
    parts = [Part(*amount) for amount in amounts]
    ratio = Unseen(parts, Part(1.0, 20.0), Part(20.0, 1.0))
    swapped = Unseen([Part(b, t) for t, b in amounts], Part(1.0, 20.0), Part(20.0, 1.0))

    assert swapped.find_low(SHARE) == pytest.approx(1 / ratio.find_high(SHARE), rel=1e-6)


@quick
@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(values, random):
    estimate, shuffled = of_scores(values), of_scores(random.sample(values, k=len(values)))

    assert shuffled.find_low(SHARE) == pytest.approx(estimate.find_low(SHARE), abs=ROUNDING)
    assert shuffled.doubt_below(0.1) == pytest.approx(estimate.doubt_below(0.1), abs=ROUNDING)


@quick
@given(SCORES, st.data())
def test_a_better_case_never_makes_it_worse(values, data):
    place = data.draw(st.integers(0, len(values) - 1))
    better = [*values]
    better[place] = data.draw(st.floats(values[place], 1))
    was, now = of_scores(values), of_scores(better)

    assert now.find_low(SHARE) >= was.find_low(SHARE) - ROUNDING
    assert now.find_high(SHARE) >= was.find_high(SHARE) - ROUNDING
    assert now.doubt_above(0.0) <= was.doubt_above(0.0) + ROUNDING


@quick
@given(AMOUNTS, st.data())
def test_a_cheaper_case_never_makes_a_ratio_larger(amounts, data):
    place = data.draw(st.integers(0, len(amounts) - 1))
    cheaper = [*amounts]
    cheaper[place] = (data.draw(st.floats(0, amounts[place][0])), amounts[place][1])
    most = 20 * max(base for _, base in amounts)
    was, now = (of_amounts(each, most=200 * most) for each in (amounts, cheaper))

    assert now.find_high(SHARE) <= was.find_high(SHARE) * (1 + 1e-6)
    assert now.doubt_below(1.2) <= was.doubt_below(1.2) + ROUNDING


@quick
@given(st.lists(st.floats(-0.9, 0.9), min_size=1, max_size=12), SHARES)
def test_the_doubt_of_a_bound_is_the_chance_it_was_asked_for(values, share):
    estimate = of_scores(values)

    low, high = estimate.find_low(share), estimate.find_high(share)

    assert estimate.doubt_above(low) == pytest.approx(share, rel=1e-3, abs=1e-6)
    assert estimate.doubt_below(high) == pytest.approx(share, rel=1e-3, abs=1e-6)


@quick
@given(SCORES, SHARES, SHARES)
def test_a_smaller_chance_of_an_error_is_wider(values, share, other):
    estimate, less, more = of_scores(values), min(share, other), max(share, other)

    assert estimate.find_low(less) <= estimate.find_low(more) + ROUNDING
    assert estimate.find_high(less) >= estimate.find_high(more) - ROUNDING


def test_more_cases_narrow_it():
    few, many = of_scores([0.1, -0.1, 0.0] * 3), of_scores([0.1, -0.1, 0.0] * 300)

    assert many.find_high(SHARE) < few.find_high(SHARE) / 5
    assert many.find_low(SHARE) > few.find_low(SHARE) / 5


def test_the_reach_is_how_far_the_unseen_case_may_lie():
    assert of_scores([0.5, 0.5]).reach == 1.5
    assert of_amounts([(2.0, 1.0), (4.0, 2.0)]).reach == 18.0


@pytest.mark.parametrize("limit", [-1.0, -5.0])
def test_what_no_case_can_be_below_is_beyond_doubt(limit):
    estimate = of_scores([0.5, 1.0])

    assert estimate.doubt_below(limit) == pytest.approx(1)
    assert estimate.doubt_above(limit - 1e-9) == pytest.approx(0)


@pytest.mark.parametrize("size", [1e-300, 1e-9, 1e15, 1e300])
def test_the_unit_of_amounts_does_not_matter(size):
    plain, other = (
        Unseen([Part(one, one)] * 8 + [Part(2 * one, one)], Part(0.0, one), Part(2 * one, one))
        for one in (1.0, size)
    )

    assert other.find_low(SHARE) == pytest.approx(plain.find_low(SHARE))
    assert other.find_high(SHARE) == pytest.approx(plain.find_high(SHARE))


def test_very_many_cases_are_no_trouble():
    values = [(n % 1_000) / 1_000 - 0.4995 for n in range(100_000)]

    estimate = of_scores(values)

    # the deviation of uniform values is 1 / sqrt(12); 1.96 of it, by the root of the number
    assert estimate.find_high(SHARE) == pytest.approx(0.00179, rel=0.03)
    assert estimate.find_low(SHARE) == pytest.approx(-0.00179, rel=0.03)


@pytest.mark.parametrize("large", [1e3, 1e5, 1e9])
def test_one_large_case_does_not_hide_that_many_small_ones_differ(large):
    """More than 400 distinct numbers: the ratio can be anything between 1 and 1.2."""
    small = [1 + n / 1_000 for n in range(1_000)]
    parts = [Part(value * (1.2 if n < 450 else 1), value) for n, value in enumerate(small)]
    estimate = Unseen([Part(large, large), *parts], Part(0.5, 1.0), Part(2.0, 1.0))

    assert 0.99 < estimate.find_low(SHARE) < 1.09
    assert 1.0 < estimate.find_high(SHARE) < 1.12
    assert estimate.doubt_below(1.2) < 0.01


def test_a_part_of_nothing_on_the_base_leaves_a_bound():
    """Where a case cost nothing and now little, the others still say what all cost together."""
    parts = [Part(0.0001, 0.0)] + [Part(1.0, 1.0)] * 29
    estimate = Unseen(parts, Part(0.5, 1.0), Part(2.0, 1.0))

    assert estimate.find_high(SHARE) < 1.2
    assert estimate.doubt_below(estimate.find_high(SHARE)) == pytest.approx(SHARE, rel=0.01)
    assert estimate.find_low(SHARE) > 0.9


def test_two_limits_side_by_side_have_nearly_the_same_chance():
    """At the first, Newton's first step ends beside a pole of the generating function."""
    thirds = {0: 26, 1: 8, -1: 3, -2: 2, 2: 1, 3: 1}

    def find_chance_below(limit):
        return score_chance(Counter({n / 3 - limit: times for n, times in thirds.items()}))

    near = [find_chance_below(1 / 6 + step * 1e-13) for step in range(-20, 21)]

    assert near == pytest.approx([2.4326] * len(near), abs=1e-4)


def test_an_upper_end_rises_with_the_best_case():
    values = [0.0] * 26 + [1 / 3] * 8 + [-1 / 3] * 3 + [-2 / 3] * 2

    less, more = (of_scores([*values, best]).find_high(SHARE) for best in (2 / 3, 1.0))

    assert 0.13 < less < 0.15 < more


@pytest.mark.parametrize("share", [0, 1, -0.1, 2.5, inf])
def test_a_chance_of_an_error_is_a_share(share):
    with pytest.raises(ValueError, match=r"share is .+, and must lie between 0 and 1"):
        of_scores([0.1]).find_low(share)
    with pytest.raises(ValueError, match=r"share is .+, and must lie between 0 and 1"):
        of_scores([0.1]).find_high(share)
