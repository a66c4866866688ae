"""Which method says what is known of a difference; bound and doubt are two sides of one answer."""

from math import exp, inf, log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.compare.statistics.confidence_intervals import estimate_difference
from agentevals.compare.statistics.difference_bounds import (
    SHARE,
    Exponential,
    Flips,
    estimate_mean_difference,
    estimate_ratio,
    estimate_typical_ratio,
    make_interval,
)
from agentevals.compare.statistics.statistics_inputs import Part
from agentevals.compare.statistics.subset_bounds import Subsets
from agentevals.compare.statistics.unseen_case_bounds import Unseen

COUNTS = st.integers(0, 40)
CHANGES = st.one_of(st.just(0.0), st.floats(-1, 1).map(lambda value: round(value, 3)))
SCORES = st.lists(CHANGES, min_size=1, max_size=45)
AMOUNTS = st.lists(
    st.tuples(st.floats(0.1, 10), st.sampled_from([1.0, 1.0, 0.5, 1.1, 3.0])),
    min_size=1,
    max_size=20,
).map(lambda pairs: [Part(base * times, base) for base, times in pairs])
LOGS = st.lists(st.one_of(st.just(0.0), st.floats(-1, 1)), min_size=1, max_size=20)
quick = settings(deadline=None, max_examples=60)


def of_scores(values, reach=1.0):
    return estimate_mean_difference([Part(value) for value in values], reach)


def of_logs(values):
    return estimate_typical_ratio([Part(value) for value in values])


ESTIMATES = st.one_of(
    st.builds(lambda lost, won, steady: Flips(lost, won, lost + won + steady), *[COUNTS] * 3),
    SCORES.map(of_scores),
    AMOUNTS.map(estimate_ratio),
    LOGS.map(of_logs),
)


@quick
@given(ESTIMATES, st.floats(0.2, 3))
def test_a_limit_lies_outside_an_interval_where_the_doubt_is_small(estimate, limit):
    low, high = make_interval(estimate)

    below, above = estimate.doubt_below(limit), estimate.doubt_above(limit)

    if abs(limit - low) > 1e-6:
        assert (limit < low) is (above <= SHARE * (1 + 1e-6)) or above == pytest.approx(SHARE)
    if abs(limit - high) > 1e-6:
        assert (limit > high) is (below <= SHARE * (1 + 1e-6)) or below == pytest.approx(SHARE)


@quick
@given(ESTIMATES, st.floats(0.2, 3), st.floats(0.2, 3))
def test_a_limit_further_away_is_less_doubtful(estimate, one, other):
    nearer, further = sorted((one, other))

    assert estimate.doubt_below(further) <= estimate.doubt_below(nearer) + 1e-9
    assert estimate.doubt_above(nearer) <= estimate.doubt_above(further) + 1e-9


@quick
@given(ESTIMATES, st.floats(0.2, 3))
def test_a_doubt_is_a_p_value(estimate, limit):
    assert 0 <= estimate.doubt_below(limit) <= 1
    assert 0 <= estimate.doubt_above(limit) <= 1


@quick
@given(ESTIMATES)
def test_an_interval_has_two_ends_in_order(estimate):
    low, high = make_interval(estimate)

    assert low <= high
    assert estimate.find_low(0.2) >= low - 1e-9
    assert estimate.find_high(0.2) <= high + 1e-9


@quick
@given(SCORES)
def test_the_interval_of_a_mean_has_a_width(values):
    low, high = make_interval(of_scores(values))

    assert low < high


class TestFlips:
    @given(COUNTS, COUNTS, COUNTS)
    def test_the_interval_is_that_of_the_shares_that_flip(self, only_base, only_head, steady):
        total = only_base + only_head + steady

        found = make_interval(Flips(only_base, only_head, total))

        assert found == estimate_difference(only_base, only_head, total, confidence=0.95)

    @quick
    @given(COUNTS, COUNTS, COUNTS)
    def test_a_better_case_never_makes_it_worse(self, only_base, only_head, steady):
        total = only_base + only_head + steady
        was = Flips(only_base, only_head, total)
        better = [
            Flips(only_base - 1, only_head, total) if only_base else was,
            Flips(only_base, only_head + 1, total) if steady else was,
        ]

        for now in better:
            assert now.find_low(SHARE) >= was.find_low(SHARE) - 1e-12
            # up to two limits are decided by these; of few cases that all flip the far tail turns
            doubts = (max(each.doubt_above(-0.05), SHARE / 20) for each in (was, now))
            assert next(doubts) >= next(doubts) - 1e-9

    @quick
    @given(COUNTS, COUNTS, COUNTS)
    def test_swapping_base_and_head_mirrors_it(self, only_base, only_head, steady):
        total = only_base + only_head + steady
        estimate = Flips(only_base, only_head, total)
        mirrored = Flips(only_head, only_base, total)

        assert mirrored.find_low(SHARE) == pytest.approx(-estimate.find_high(SHARE))
        assert mirrored.doubt_below(-0.1) == pytest.approx(estimate.doubt_above(0.1))

    def test_without_a_flip_there_is_a_width(self):
        low, high = make_interval(Flips(0, 0, 5))

        assert low < -0.3
        assert high > 0.3

    def test_what_the_cases_show_is_no_doubt_and_its_contrary_is_certain(self):
        lost_all = Flips(30, 0, 30)

        assert lost_all.doubt_below(-0.5) < 1e-3
        assert lost_all.doubt_above(-0.5) == 1.0
        assert lost_all.reach == 1.0


def bound_by_seen(values):
    """The interval by what was seen alone."""
    return make_interval(Subsets([Part(value) for value in values]))


def bound_by_unseen(values):
    """The interval where the unseen case may lie 1 away from no difference."""
    return make_interval(Unseen([Part(value) for value in values], Part(-1.0), Part(1.0)))


class TestMeanDifferences:
    @pytest.mark.parametrize(
        "values", [[0.1, -0.1] * 25, [0.1, -0.1] * 200, [0.1, -0.1] * 25 + [0.0] * 10]
    )
    def test_of_many_that_differ_evenly_what_was_seen_decides(self, values):
        assert make_interval(of_scores(values)) == bound_by_seen(values)

    @pytest.mark.parametrize(
        "values",
        [
            [0.1, -0.1] * 14,  # fewer than 30
            [0.1, -0.1] * 15 + [0.0] * 90,  # most have no difference
            [0.1] * 30,  # all the same
            [0.0] * 300,
        ],
    )
    def test_of_others_the_unseen_case_counts_at_either_end(self, values):
        seen, unseen = bound_by_seen(values), bound_by_unseen(values)

        low, high = make_interval(of_scores(values))

        assert low == min(seen.low, unseen.low)
        assert high == max(seen.high, unseen.high)

    def test_where_one_is_large_it_counts_at_the_end_at_which_another_may_lie(self):
        values = [0.01, -0.01] * 20 + [-1.0]

        assert of_scores(values).find_low(SHARE) <= bound_by_unseen(values).low

    @pytest.mark.parametrize("cases", [1, 2, 5])
    def test_of_few_the_unseen_case_decides(self, cases):
        values = [0.1, -0.3, 0.2, 0.0, 0.1][:cases]

        assert make_interval(of_scores(values)) == bound_by_unseen(values)

    def test_an_unseen_case_can_be_as_bad_as_one_can_be(self):
        """Five cases that all have no difference: 1 - 0.025 ** (1 / 5), as of passes."""
        assert make_interval(of_scores([0.0] * 5)) == pytest.approx((-0.522, 0.522), abs=0.01)
        assert make_interval(of_scores([0.0] * 5, reach=10.0)) == pytest.approx(
            (-5.22, 5.22), abs=0.1
        )

    def test_one_family_is_as_large_as_its_cases(self):
        alone = of_scores([0.0] * 5)
        families = estimate_mean_difference([Part(0.0, 3.0)] * 5, reach=1.0)

        assert make_interval(families) == pytest.approx(make_interval(alone), abs=1e-6)

    def test_few_families_are_less_sure_than_as_many_cases(self):
        values = [0.1, -0.1, 0.2, 0.0, -0.2, 0.1, 0.3, -0.1, 0.2]
        families = [Part(sum(values[at : at + 3]), 3.0) for at in (0, 3, 6)]

        low, high = make_interval(estimate_mean_difference(families, reach=1.0))

        assert low < make_interval(of_scores(values)).low
        assert high > make_interval(of_scores(values)).high

    @quick
    @given(SCORES, st.data())
    def test_a_better_case_never_makes_it_worse(self, values, data):
        place = data.draw(st.integers(0, len(values) - 1))
        better = [*values]
        better[place] = data.draw(st.floats(values[place], 1))

        was, now = of_scores(values), of_scores(better)

        assert now.find_low(SHARE) >= was.find_low(SHARE) - 1e-7
        assert now.doubt_above(-0.05) <= was.doubt_above(-0.05) + 1e-7

    @quick
    @given(SCORES)
    def test_swapping_base_and_head_mirrors_it(self, values):
        low, high = make_interval(of_scores(values))

        mirrored = make_interval(of_scores([-value for value in values]))

        assert mirrored == pytest.approx((-high, -low), abs=1e-7)


class TestRatios:
    def test_an_unseen_case_may_halve_or_double(self):
        low, high = make_interval(estimate_ratio([Part(1.0, 1.0)] * 5))

        # as of passes: 1 - 0.025 ** (1 / 5) of the way to the unseen one
        assert low == pytest.approx(1 - 0.522 / 2, abs=0.01)
        assert high == pytest.approx(1 + 0.522, abs=0.01)

    def test_an_unseen_case_may_change_by_as_much_as_one_that_was_seen(self):
        parts = [Part(1.0, 1.0)] * 9 + [Part(11.0, 1.0)]

        estimate = estimate_ratio(parts)

        assert estimate.reach == pytest.approx(9.0)
        assert estimate.find_high(SHARE) > 5

    def test_all_that_grew_alike_is_about_that_ratio(self):
        low, high = make_interval(estimate_ratio([Part(3.0, 2.0)] * 100))

        assert 1.45 < low <= 1.5 <= high < 1.55

    def test_rounding_is_no_change(self):
        rounded = estimate_ratio([Part(0.1 + 0.2, 0.3)] * 20)

        same = make_interval(estimate_ratio([Part(0.3, 0.3)] * 20))
        assert make_interval(rounded) == pytest.approx(same)
        assert make_interval(of_logs([1e-16] * 20)) == pytest.approx(
            make_interval(of_logs([0.0] * 20))
        )

    @pytest.mark.parametrize("size", [1e-300, 1e15])
    def test_the_unit_does_not_matter(self, size):
        ratios = (0.9, 0.8, 1.1, 1.2, 1.0, 1.3, 1.1, 0.7, 0.9)

        low, high = make_interval(estimate_ratio([Part(size * one, size) for one in ratios]))

        plain = make_interval(estimate_ratio([Part(one, 1.0) for one in ratios]))
        assert (low, high) == pytest.approx(plain)

    @pytest.mark.parametrize("cases", [1, 5, 8, 30])
    def test_where_nothing_costs_anything_nothing_is_said_against_no_change(self, cases):
        estimate = estimate_ratio([Part(0.0, 0.0)] * cases)
        low, high = make_interval(estimate)

        assert low <= 1.0 <= high
        assert estimate.doubt_below(1.0) > SHARE
        assert estimate.doubt_above(1.0) > SHARE

    def test_what_cost_nothing_before_has_no_upper_bound(self):
        estimate = estimate_ratio([Part(5.0, 0.0)] * 10)

        assert estimate.find_high(SHARE) == inf
        assert estimate.doubt_above(1.2) < SHARE

    @quick
    @given(AMOUNTS, st.data())
    def test_a_cheaper_case_never_makes_it_worse(self, parts, data):
        place = data.draw(st.integers(0, len(parts) - 1))
        cheaper = [*parts]
        cheaper[place] = Part(parts[place].top * data.draw(st.floats(0, 1)), parts[place].bottom)

        was, now = estimate_ratio(parts), estimate_ratio(cheaper)

        assert now.find_high(SHARE) <= was.find_high(SHARE) * (1 + 1e-7)


class TestTypicalRatios:
    @quick
    @given(LOGS)
    def test_swapping_base_and_head_gives_the_reciprocal(self, logs):
        low, high = make_interval(of_logs(logs))

        mirrored = make_interval(of_logs([-one for one in logs]))

        assert mirrored == pytest.approx((1 / high, 1 / low), rel=1e-6)

    def test_it_is_the_exponential_of_what_is_known_of_the_logarithm(self):
        inner = Unseen([Part(0.1)] * 5, Part(-1.0), Part(1.0))

        estimate = Exponential(inner)

        assert estimate.find_low(SHARE) == exp(inner.find_low(SHARE))
        assert estimate.find_high(SHARE) == exp(inner.find_high(SHARE))
        assert estimate.doubt_below(1.2) == inner.doubt_below(log(1.2))
        assert estimate.doubt_above(1.2) == inner.doubt_above(log(1.2))
        assert estimate.reach == inner.reach

    def test_a_ratio_beyond_every_float_has_no_bound(self):
        assert Exponential(Unseen([Part(0.0)], Part(-1e6), Part(1e6))).find_high(SHARE) == inf

    @pytest.mark.parametrize("cases", [1, 2, 5])
    def test_few_cases_have_a_width(self, cases):
        low, high = make_interval(of_logs([0.0] * cases))

        assert 0.5 <= low < 1 < high <= 2
        assert high == pytest.approx(1 / low)


# the quantiles of Student's t with 11, 29 and 99 degrees of freedom
@pytest.mark.parametrize(("cases", "errors"), [(12, 2.2), (30, 2.05), (100, 1.98)])
def test_even_noise_is_bounded_as_by_students_t(cases, errors):
    random = Random(cases)
    values = [random.gauss(0.3, 0.2) for _ in range(cases)]
    mean = sum(values) / cases
    error = (sum((value - mean) ** 2 for value in values) / (cases - 1) / cases) ** 0.5

    low, high = make_interval(Subsets([Part(value) for value in values]))

    assert (mean - low) / error == pytest.approx(errors, abs=0.35)
    assert (high - mean) / error == pytest.approx(errors, abs=0.35)


def test_a_mean_is_no_less_known_where_one_more_case_got_better():
    """Sixty even differences, of which one gets so much better that it is rare and large."""
    values = [0.1, -0.1] * 30
    better = [*values[:-1], 1.0]

    assert of_scores(better).find_low(SHARE) >= of_scores(values).find_low(SHARE) - 1e-7


def test_a_ratio_is_no_less_known_where_one_case_fewer_costs_more():
    """Eight cases of which four changed: with three, the unseen one decides."""
    changed = [1.2, 1.1, 1.1, 0.7]
    was, now = (
        estimate_ratio([Part(one, 1.0) for one in (*first, *[1.0] * 4)])
        for first in (changed, [1.0, *changed[1:]])
    )

    assert now.find_high(SHARE) <= was.find_high(SHARE)


@pytest.mark.parametrize("free", [Part(0.0, 0.0), Part(1.0, 0.0)])
def test_of_five_costs_one_of_which_was_nothing_no_end_is_known(free):
    low, high = make_interval(estimate_ratio([*[Part(1.1, 1.0), Part(0.9, 1.0)] * 2, free]))

    assert (low, high) == (-inf, inf)


def test_a_cost_that_is_nothing_now_takes_no_interval_away():
    low, high = make_interval(estimate_ratio([*[Part(1.1, 1.0)] * 4, Part(0.0, 1.0)]))

    assert 0 <= low < high < 3
