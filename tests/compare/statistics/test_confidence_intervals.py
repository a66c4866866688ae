from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.compare.statistics.confidence_intervals import Interval, estimate_difference, wilson

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
    assert estimate_difference(0, 0, 0) == (-1.0, 1.0)


@given(COUNTS, COUNTS, CONFIDENCES)
def test_wilson_holds_the_share_and_stays_between_0_and_1(passed, failed, confidence):
    low, high = wilson(passed, passed + failed, confidence)

    assert 0 <= low <= high <= 1
    assert not passed + failed or low <= passed / (passed + failed) <= high


@given(COUNTS, COUNTS, CONFIDENCES)
def test_failures_have_the_mirrored_interval(passed, failed, confidence):
    low, high = wilson(passed, passed + failed, confidence)

    assert wilson(failed, passed + failed, confidence) == pytest.approx((1 - high, 1 - low))


# Of 21 and 161 cases, of which 1 and 7, and 6 and 16 flipped (Bentur and Cavo in Fagerland,
# Lydersen and Laake, "Statistical Analysis of Contingency Tables", 2017, chapter 8). There
# Newcombe's interval is 0.026 to 0.507, and 0.0046 to 0.1186, the other sides told apart.
@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [((1, 7, 21), 0.0190, 0.5107), ((6, 16, 161), 0.0042, 0.1229)],
)
def test_the_paired_difference_is_near_that_of_newcombe(counts, low, high):
    assert tuple(round(bound, 4) for bound in estimate_difference(*counts)) == (low, high)


# By hand from the formula. Of ten cases none flips: the upper arms are 1 minus Wilson's
# 0.72246720, the lower ones 0. All of ten flip: what was 0 is 1, and the other way round, and
# 0.27753280 stands with itself under the root, and once more with the correlation, -1 there.
@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ((0, 0, 10), -0.2775327999, 0.2775327999),
        ((0, 10, 10), 0.4449344001, 1.0),
        ((10, 0, 10), -1.0, -0.4449344001),
        ((5, 5, 10), -0.5268138190, 0.5268138190),
    ],
)
def test_the_paired_difference_at_the_edges(counts, low, high):
    assert estimate_difference(*counts) == pytest.approx((low, high), abs=1e-9)


@given(COUNTS, COUNTS, COUNTS, CONFIDENCES)
def test_swapping_base_and_head_mirrors_the_difference(base, head, steady, confidence):
    low, high = estimate_difference(base, head, base + head + steady, confidence)
    mirrored = estimate_difference(head, base, base + head + steady, confidence)

    assert mirrored == pytest.approx((-high, -low), abs=1e-12)


@given(COUNTS, COUNTS, COUNTS, CONFIDENCES)
def test_the_paired_difference_holds_the_difference(base, head, steady, confidence):
    total = base + head + steady
    low, high = estimate_difference(base, head, total, confidence)

    assert -1 <= low <= high <= 1
    assert not total or low <= (head - base) / total <= high


@given(COUNTS)
def test_without_a_flip_no_difference_lies_in_the_middle(total):
    low, high = estimate_difference(0, 0, total)

    assert low <= 0 <= high
    assert low == pytest.approx(-high, abs=1e-12)


def test_without_a_flip_more_cases_narrow_the_interval():
    few, many = estimate_difference(0, 0, 10), estimate_difference(0, 0, 1000)

    assert many.high - many.low < (few.high - few.low) / 10


# what is true is added up over everything that a run may show
@pytest.mark.parametrize("total", [5, 10, 20, 40])
@pytest.mark.parametrize(
    ("lost", "won"),
    [(0.05, 0), (0.1, 0), (0.02, 0.02), (0.1, 0.05), (0.2, 0.2), (0.25, 0.25), (0.35, 0.1)],
)
def test_the_paired_difference_holds_the_true_one_in_94_of_100_runs(total, lost, won):
    held = 0.0
    for base in range(total + 1):
        for head in range(total + 1 - base):
            low, high = estimate_difference(base, head, total)
            if low <= won - lost <= high:
                steady = total - base - head
                ways = comb(total, base) * comb(total - base, head)
                held += ways * lost**base * won**head * (1 - lost - won) ** steady

    assert held >= 0.94


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
