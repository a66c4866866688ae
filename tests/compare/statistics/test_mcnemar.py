import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.compare.statistics.mcnemar import exact, mid_p

FLIPS = st.integers(0, 2_000)


# scipy 1.17.1: binomtest(b, b + c).pvalue, and 2 * binom.cdf(min) - binom.pmf(min); the first row
# is published too (Fagerland, Lydersen and Laake, 2017, chapter 8: 0.052479 and 0.034690)
@pytest.mark.parametrize(
    ("only_base", "only_head", "exactly", "midway"),
    [
        (6, 16, 0.052478790283203125, 0.03468966484069824),
        (1, 7, 0.0703125, 0.0390625),
        (10, 2, 0.03857421875, 0.0224609375),
        (40, 60, 0.05688793364098089, 0.04604406692934291),
        (300, 360, 0.02157234823197109, 0.019541266266901856),
        (0, 1, 1.0, 0.5),
        (0, 5, 0.0625, 0.03125),
        (0, 9, 0.00390625, 0.001953125),
        (0, 10, 0.001953125, 0.0009765625),
        (3, 3, 1.0, 1.0),
        (0, 0, 1.0, 1.0),
    ],
)
def test_both_p_values_are_the_published_ones(only_base, only_head, exactly, midway):
    assert exact(only_base, only_head) == pytest.approx(exactly, rel=1e-9)
    assert mid_p(only_base, only_head) == pytest.approx(midway, rel=1e-9)


@given(FLIPS, FLIPS)
def test_a_p_value_lies_between_0_and_1_and_mid_p_is_the_smaller(only_base, only_head):
    assert 0 <= mid_p(only_base, only_head) <= exact(only_base, only_head) <= 1


@given(FLIPS, FLIPS)
def test_base_and_head_may_be_swapped(only_base, only_head):
    assert mid_p(only_base, only_head) == mid_p(only_head, only_base)
    assert exact(only_base, only_head) == exact(only_head, only_base)


@given(FLIPS)
def test_as_many_flips_either_way_are_no_evidence(flips):
    assert mid_p(flips, flips) == pytest.approx(1)
    assert exact(flips, flips) == 1


@given(st.integers(0, 300), st.integers(1, 300))
def test_a_larger_imbalance_is_more_evidence(fewer, more):
    assert mid_p(fewer, fewer + more + 1) < mid_p(fewer, fewer + more)


def test_very_many_flips_are_no_trouble():
    assert mid_p(0, 100_000) == 0
    assert mid_p(50_000, 49_800) == pytest.approx(0.5266778437359257, rel=1e-9)


def test_a_negative_count_is_refused():
    with pytest.raises(ValueError, match="only_head is -1"):
        mid_p(3, -1)
