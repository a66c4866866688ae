"""A difference, what is known of it, and what is printed are about one quantity."""

from math import exp, log
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentevals.compare.figure_differences import Difference, Values, find_mean
from agentevals.compare.statistics.difference_bounds import Exponential, Flips, make_interval
from agentevals.compare.statistics.statistics_inputs import Part
from agentevals.compare.statistics.unseen_case_bounds import Unseen
from agentevals.model.outcome import Unit

DIFFERENCES = [Unit.SHARE, Unit.SCORE]
SUMS = [Unit.MONEY, Unit.TOKENS]
quick = settings(deadline=None, max_examples=60)


def difference(unit, *pairs, families=(), flips=False):
    names = [*families, *[""] * (len(pairs) - len(families))]
    values = [Values(was, now, name) for (was, now), name in zip(pairs, names, strict=True)]
    return Difference(unit, values, flips)


@pytest.mark.parametrize("unit", DIFFERENCES)
def test_shares_and_scores_differ_by_the_mean_of_the_changes(unit):
    found = difference(unit, (1.0, 0.0), (0.5, 1.0), (0.25, 0.25))

    assert found.value == pytest.approx(-0.5 / 3)
    assert found.changes == (-1.0, 0.5, 0.0)
    assert found.parts == (Part(-1.0), Part(0.5), Part(0.0))


@pytest.mark.parametrize("unit", SUMS)
def test_amounts_differ_by_the_ratio_of_the_totals(unit):
    found = difference(unit, (1.0, 2.0), (10.0, 5.0), (0.0, 4.0))

    assert found.value == pytest.approx((2 + 5 + 4) / (1 + 10 + 0))
    assert found.parts == (Part(2.0, 1.0), Part(5.0, 10.0), Part(4.0, 0.0))


def test_a_cheap_case_that_costs_twice_weighs_less_than_a_dear_one():
    """28 of 30 cases get 30 % cheaper, two dear ones cost more: the bill is what counts."""
    found = difference(Unit.MONEY, *[(1.0, 0.7)] * 28, *[(50.0, 90.0)] * 2)

    assert found.value > 1
    assert found.estimate.find_high(0.025) > 1


def test_latency_differs_by_the_geometric_mean_of_the_ratios():
    found = difference(Unit.MILLISECONDS, (100.0, 200.0), (100.0, 50.0), (10.0, 80.0))

    assert found.value == pytest.approx(2.0)  # the cube root of 2 · 0.5 · 8
    assert [part.top for part in found.parts] == pytest.approx([log(2), -log(2), log(8)])


def test_a_time_below_a_millisecond_cannot_be_told_from_one():
    assert difference(Unit.MILLISECONDS, (0.0, 1.0), (0.5, 0.001)).value == 1.0


@pytest.mark.parametrize("unit", SUMS)
def test_something_against_nothing_has_no_ratio(unit):
    assert difference(unit, (0.0, 5.0), (0.0, 1.0)).value is None
    assert difference(unit, (0.0, 0.0), (0.0, 0.0)).value == 1.0
    assert difference(unit, (5.0, 0.0)).value == 0.0
    assert difference(unit, (5e-324, 1e15)).value is None


def test_subtracting_equal_scores_leaves_no_change():
    found = difference(Unit.SCORE, (0.3, 0.1 + 0.2))

    assert found.changes == (0.0,)
    assert found.value == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    ("unit", "pairs", "method"),
    [
        (Unit.MONEY, [(1.0, 1.0)] * 4, Unseen),
        (Unit.TOKENS, [(1.0, 2.0)] * 4, Unseen),
        (Unit.MILLISECONDS, [(1.0, 2.0)] * 9, Exponential),
    ],
)
def test_each_kind_of_values_has_a_method_that_fits(unit, pairs, method):
    assert isinstance(difference(unit, *pairs).estimate, method)


def test_passes_and_failures_are_counted_by_how_they_flipped():
    pairs = [(1.0, 1.0)] * 4 + [(1.0, 0.0)] * 3 + [(0.0, 1.0)] * 2 + [(0.0, 0.0)]

    assert difference(Unit.SHARE, *pairs, flips=True).estimate == Flips(3, 2, 10)


def test_an_unseen_case_may_lie_as_far_as_the_scale_is_wide():
    on_ten = difference(Unit.SCORE, (1.0, 1.0), (10.0, 10.0), (7.0, 7.5))
    on_one = difference(Unit.SCORE, (0.5, 0.5), (0.6, 0.6), (0.7, 0.75))

    assert on_ten.estimate.reach == pytest.approx(9.0, abs=0.5)
    assert on_one.estimate.reach == pytest.approx(1.0, abs=0.05)


def test_cases_of_one_family_are_one_part():
    pairs = [(1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0)]

    found = difference(Unit.SHARE, *pairs, families=("a", "b", "a"), flips=True)

    assert found.parts == (Part(0.0, 2.0), Part(0.0, 1.0), Part(-1.0, 1.0))
    assert found.value == pytest.approx(-1 / 4)
    assert not isinstance(found.estimate, Flips)


def test_what_is_known_of_families_is_no_more_than_of_as_many_cases():
    alone = difference(Unit.SHARE, *[(1.0, 1.0)] * 30, flips=True)
    families = difference(
        Unit.SHARE, *[(1.0, 1.0)] * 30, families=tuple(f"f{n % 3}" for n in range(30))
    )

    low, high = make_interval(alone.estimate), make_interval(families.estimate)

    assert high.low < low.low - 0.3
    assert high.high > low.high + 0.3


def test_families_of_amounts_are_summed():
    found = difference(Unit.MONEY, (1.0, 2.0), (3.0, 4.0), families=("a", "a"))

    assert found.parts == (Part(6.0, 4.0),)


def test_the_mean_of_times_is_the_geometric_one():
    assert find_mean([100.0, 400.0], Unit.MILLISECONDS) == pytest.approx(200.0)
    assert find_mean([100.0, 400.0], Unit.TOKENS) == 250.0


PASSES = st.sampled_from([(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)])
SCORES = st.tuples(st.floats(0, 1), st.floats(0, 1))
AMOUNTS = st.tuples(st.floats(0.01, 100), st.floats(0.01, 100))
ANY = st.one_of(
    st.tuples(st.just(Unit.SHARE), st.lists(PASSES, min_size=1, max_size=40)),
    st.tuples(st.just(Unit.SCORE), st.lists(SCORES, min_size=1, max_size=40)),
    st.tuples(st.sampled_from(SUMS), st.lists(AMOUNTS, min_size=1, max_size=40)),
    st.tuples(
        st.just(Unit.MILLISECONDS),
        st.lists(st.tuples(st.floats(1, 1e4), st.floats(1, 1e4)), min_size=1, max_size=40),
    ),
)


@quick
@given(ANY)
def test_the_interval_holds_the_value(unit_and_pairs):
    unit, pairs = unit_and_pairs
    found = difference(unit, *pairs)

    low, high = make_interval(found.estimate)

    assert low * (1 - 1e-6) - 1e-6 <= found.value <= high * (1 + 1e-6) + 1e-6


@quick
@given(ANY)
def test_swapping_base_and_head_mirrors_the_value(unit_and_pairs):
    unit, pairs = unit_and_pairs
    value = difference(unit, *pairs).value

    swapped = difference(unit, *[(now, was) for was, now in pairs]).value

    assert swapped == pytest.approx(-value if unit in DIFFERENCES else 1 / value, abs=1e-12)


@quick
@given(ANY, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(unit_and_pairs, random):
    unit, pairs = unit_and_pairs
    found, shuffled = (
        difference(unit, *pairs),
        difference(unit, *random.sample(pairs, k=len(pairs))),
    )

    assert shuffled.value == pytest.approx(found.value)
    assert make_interval(shuffled.estimate) == pytest.approx(
        make_interval(found.estimate), rel=1e-6, abs=1e-6
    )


@quick
@given(st.lists(AMOUNTS, min_size=1, max_size=20))
def test_the_value_is_that_of_the_printed_means(pairs):
    for unit in (*SUMS, Unit.MILLISECONDS):
        was, now = ([pair[side] + 1 for pair in pairs] for side in (0, 1))
        found = difference(unit, *zip(was, now, strict=True))

        assert found.value == pytest.approx(find_mean(now, unit) / find_mean(was, unit))
        assert exp(fmean(map(log, was))) == pytest.approx(find_mean(was, Unit.MILLISECONDS))
