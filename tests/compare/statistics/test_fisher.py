from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.compare.statistics import fisher
from agentevals.compare.statistics.fisher import fell

RUNS = st.integers(0, 300)


# scipy 1.17.1: fisher_exact([[base_passed, base_failed], [head_passed, head_failed]], "greater");
# the first row is Fisher's tea, with half of the cups named right but one
@pytest.mark.parametrize(
    ("runs", "p_value"),
    [
        ((3, 1, 1, 3), 0.24285714285714285),
        ((9, 1, 0, 10), 5.953798523468641e-05),
        ((10, 0, 9, 1), 0.5),
        ((10, 0, 6, 4), 0.04334365325077399),
        ((3, 0, 0, 3), 0.05),
        ((2, 0, 0, 2), 1 / 6),
        ((1, 0, 0, 1), 0.5),
        ((0, 4, 4, 0), 1.0),
        ((0, 0, 0, 0), 1.0),
    ],
)
def test_the_p_value_is_the_published_one(runs, p_value):
    assert fell(*runs) == pytest.approx(p_value, rel=1e-9)


def test_it_is_the_share_of_all_ways_to_deal_the_runs():
    deals = [sum(head) for head in combinations([1] * 7 + [0] * 5, 5)]

    assert fell(5, 2, 2, 3) == pytest.approx(sum(dealt <= 2 for dealt in deals) / comb(12, 5))


@given(RUNS, RUNS, RUNS, RUNS)
def test_a_p_value_lies_between_0_and_1_and_falls_with_what_passes(was, not_was, now, not_now):
    assert 0 <= fell(was, not_was, now, not_now) <= 1
    if now:
        fewer = fell(was, not_was, now - 1, not_now + 1)
        assert fewer <= fell(was, not_was, now, not_now) * (1 + 1e-9)


def test_very_many_runs_are_no_trouble():
    assert fell(50_000, 0, 40_000, 10_000) == 0
    assert fell(25_000, 25_000, 25_000, 25_000) == pytest.approx(0.5025, abs=1e-3)


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match="head_failed is -1"):
        fell(1, 1, 1, -1)


def brute_force(tables):
    """Every way to deal the passes of each case to both sides, with its chance."""
    chances = {0: Fraction(1)}
    for table in tables:
        total = comb(table.runs, table.head)
        found = {}
        for known, chance in chances.items():
            for number in range(table.head + 1):
                ways = comb(table.passed, number) * comb(
                    table.runs - table.passed, table.head - number
                )
                if ways:
                    sum_ = known + number
                    found[sum_] = found.get(sum_, 0) + chance * Fraction(ways, total)
        chances = found
    seen = sum(table.head_passed for table in tables)
    fewer = sum(chance for number, chance in chances.items() if number <= seen)
    more = sum(chance for number, chance in chances.items() if number >= seen)
    return min(1.0, float(2 * min(fewer, more)))


TABLES = st.lists(st.builds(fisher.Table, *[st.integers(0, 4)] * 4), max_size=5)


@given(TABLES)
def test_all_cases_together_are_as_likely_as_counting_says(tables):
    known = [one for one in tables if one.head and one.runs > one.head]

    assert fisher.compare_all(tables) == pytest.approx(brute_force(known), abs=1e-9)


def test_of_one_case_it_is_twice_the_smaller_side():
    assert fisher.compare_all([fisher.Table(10, 0, 6, 4)]) == pytest.approx(
        2 * fisher.fell(10, 0, 6, 4)
    )


@pytest.mark.parametrize("table", [(10, 0, 9, 1), (9, 1, 8, 2), (5, 5, 5, 5)])
def test_of_many_runs_it_is_as_good_as_exact(table):
    """Forty cases are counted exactly, one more is not."""
    exact = fisher.compare_all([fisher.Table(*table)] * 40)
    normal = fisher.compare_all([fisher.Table(*table)] * 41)

    assert normal == pytest.approx(exact, rel=0.2, abs=1e-6)


def test_where_nothing_can_change_nothing_has():
    assert fisher.compare_all([fisher.Table(5, 0, 5, 0), fisher.Table(0, 3, 0, 3)]) == 1.0
    assert fisher.compare_all([]) == 1.0
    assert fisher.compare_all([fisher.Table(500, 0, 500, 0)]) == 1.0
