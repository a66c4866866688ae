import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.compare.statistics.intervals import (
    Interval,
    estimate_difference,
    wilson,
)

COUNTS = st.integers(0, 400)
CONFIDENCES = st.floats(0.01, 0.9999)


# scipy 1.17.1, binomtest(successes, total).proportion_ci(confidence, method="wilson");
# 81 of 263 and 15 of 148 are also the examples of Newcombe (1998), table I
@pytest.mark.parametrize(
    ("successes", "total", "confidence", "low", "high"),
    [
        (81, 263, 0.95, 0.2552885198782742, 0.36620957698280004),
        (15, 148, 0.95, 0.06238639953073629, 0.16048724172330803),
        (54, 60, 0.95, 0.7985053527602123, 0.9533571655261158),
        (56, 60, 0.99, 0.8004239253967202, 0.9799479615944433),
        (7, 10, 0.90, 0.4416997958698351, 0.8731234160968021),
        (5, 9, 0.95, 0.2666512934954931, 0.8112214789023354),
        (0, 10, 0.95, 0.0, 0.27753279986288926),
        (10, 10, 0.95, 0.7224672001371109, 1.0),
        (0, 1, 0.95, 0.0, 0.7934506856227626),
        (1, 1, 0.95, 0.20654931437723745, 1.0),
    ],
)
def test_wilson_gives_the_published_bounds(successes, total, confidence, low, high):
    assert wilson(successes, total, confidence) == pytest.approx((low, high), rel=1e-12)


def test_the_ends_are_met_exactly():
    assert wilson(0, 7).low == 0.0
    assert wilson(7, 7).high == 1.0


def test_of_no_cases_nothing_is_known():
    assert wilson(0, 0) == (0.0, 1.0)
    assert estimate_difference(0, 0, 0, 0) == (-1.0, 1.0)


@given(COUNTS, COUNTS, CONFIDENCES)
def test_wilson_holds_the_share_and_stays_between_0_and_1(passed, failed, confidence):
    low, high = wilson(passed, passed + failed, confidence)

    assert 0 <= low <= high <= 1
    assert not passed + failed or low <= passed / (passed + failed) <= high


@given(COUNTS, COUNTS, CONFIDENCES)
def test_failures_have_the_mirrored_interval(passed, failed, confidence):
    low, high = wilson(passed, passed + failed, confidence)

    assert wilson(failed, passed + failed, confidence) == pytest.approx((1 - high, 1 - low))


# Fagerland, Lydersen and Laake, "Statistical Analysis of Contingency Tables" (2017), chapter 8,
# whose difference is base minus head: 1, 1, 7, 12 (Bentur) and 59, 6, 16, 80 (Cavo)
@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [((1, 1, 7, 12), 0.026, 0.507), ((59, 6, 16, 80), 0.0046, 0.1186)],
)
def test_the_paired_difference_has_the_published_bounds(counts, low, high):
    digits = 3 if low > 0.01 else 4

    assert tuple(round(bound, digits) for bound in estimate_difference(*counts)) == (low, high)


# By hand from the formula. All ten pass in both runs: phi is 0 because no case failed, the lower
# arms are 1 minus Wilson's 0.72246720, the upper ones 0. All of ten pass in the head alone: as
# before, and 1 - sqrt(2) * 0.27753280 is the lower bound. Five either way: phi is -1, the arms
# 0.5 minus Wilson's 0.23659309 add up.
@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ((10, 0, 0, 0), -0.2775327999, 0.2775327999),
        ((0, 0, 0, 10), -0.2775327999, 0.2775327999),
        ((0, 0, 10, 0), 0.6075093504, 1.0),
        ((0, 10, 0, 0), -1.0, -0.6075093504),
        ((0, 5, 5, 0), -0.5268138190, 0.5268138190),
    ],
)
def test_the_paired_difference_at_the_edges(counts, low, high):
    assert estimate_difference(*counts) == pytest.approx((low, high), abs=1e-9)


@given(COUNTS, COUNTS, COUNTS, COUNTS, CONFIDENCES)
def test_swapping_base_and_head_mirrors_the_difference(both, base, head, neither, confidence):
    low, high = estimate_difference(both, base, head, neither, confidence)
    mirrored = estimate_difference(both, head, base, neither, confidence)

    assert mirrored == pytest.approx((-high, -low), abs=1e-12)


@given(COUNTS, COUNTS, COUNTS, COUNTS, CONFIDENCES)
def test_the_paired_difference_holds_the_difference(both, base, head, neither, confidence):
    total = both + base + head + neither
    low, high = estimate_difference(both, base, head, neither, confidence)

    assert -1 <= low <= high <= 1
    assert not total or low <= (head - base) / total <= high


@given(COUNTS, COUNTS)
def test_without_a_flip_no_difference_lies_in_the_middle(both, neither):
    low, high = estimate_difference(both, 0, 0, neither)

    assert low <= 0 <= high
    assert low == pytest.approx(-high, abs=1e-12)


def test_without_a_flip_more_cases_narrow_the_interval():
    few, many = estimate_difference(9, 0, 0, 1), estimate_difference(900, 0, 0, 100)

    assert many.high - many.low < (few.high - few.low) / 10


@pytest.mark.parametrize("counts", [(-1, 5), (6, 5), (-1, -1)])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(ValueError, match="must be a number of cases, 0 or more"):
        wilson(*counts)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95])
def test_a_confidence_is_a_share(confidence):
    with pytest.raises(ValueError, match=r"confidence is .+, and must lie between 0 and 1"):
        wilson(1, 2, confidence)


def test_an_interval_says_which_end_is_which():
    assert Interval(0.1, 0.2)._asdict() == {"low": 0.1, "high": 0.2}
