from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
