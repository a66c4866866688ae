import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentevals.compare.statistics.power import cases_needed_for_mean, detectable_difference

DEVIATIONS = st.floats(0.001, 1)
MARGINS = st.floats(0.005, 1)


# statsmodels 0.15.0: normal_sample_size_one_tail(margin, power, alpha / 2, std_null=deviation),
# rounded up: 313.955, 2334.983
@pytest.mark.parametrize(
    ("share", "margin", "alpha", "power", "cases"),
    [(0.1, 0.05, 0.05, 0.8, 314), (0.2, 0.03, 0.05, 0.9, 2335)],
)
def test_cases_for_a_rate(share, margin, alpha, power, cases):
    assert cases_needed_for_mean(share**0.5, margin, alpha, power) == cases


# the same function: 125.582, 75.736, 238.070
@pytest.mark.parametrize(
    ("deviation", "margin", "alpha", "power", "cases"),
    [(0.2, 0.05, 0.05, 0.8, 126), (0.35, 0.1, 0.1, 0.8, 76), (0.12, 0.03, 0.01, 0.9, 239)],
)
def test_cases_for_a_mean(deviation, margin, alpha, power, cases):
    assert cases_needed_for_mean(deviation, margin, alpha, power) == cases


# by hand: (1.959964 + 0.841621) * deviation / sqrt(n)
@pytest.mark.parametrize(
    ("deviation", "n", "difference"),
    [
        (0.2, 1, 0.5603170),
        (0.2, 9, 0.1867723),
        (0.2, 10, 0.1771878),
        (0.2, 100, 0.0560317),
        (0.0, 10, 0.0),
    ],
)
def test_what_a_number_of_cases_can_tell(deviation, n, difference):
    assert detectable_difference(deviation, n) == pytest.approx(difference, abs=1e-6)


@given(DEVIATIONS, MARGINS)
def test_the_cases_needed_can_tell_the_margin_and_one_less_cannot(deviation, margin):
    cases = cases_needed_for_mean(deviation, margin)

    assert detectable_difference(deviation, cases) <= margin * (1 + 1e-12)
    assert cases == 1 or detectable_difference(deviation, cases - 1) > margin * (1 - 1e-12)


@given(DEVIATIONS, MARGINS)
def test_a_finer_margin_takes_more_cases(deviation, margin):
    fine, coarse = (cases_needed_for_mean(deviation, margin / part) for part in (2, 1))

    assert fine >= coarse >= 1


def test_where_nothing_varies_one_case_is_enough():
    assert cases_needed_for_mean(0, 0.05) == 1


def test_a_power_that_chance_has_needs_no_effort():
    assert detectable_difference(0.2, 10, alpha=0.5, power=0.1) == 0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (lambda: cases_needed_for_mean(0.1, 0), "the margin is 0"),
        (lambda: cases_needed_for_mean(0.1, -0.1), "the margin is -0.1"),
        (lambda: cases_needed_for_mean(1e200, 1e-100), "no number of cases shows a margin"),
        (lambda: cases_needed_for_mean(-0.1, 0.1), "cannot be below 0"),
        (lambda: detectable_difference(0.1, 0), "0 cases show nothing"),
        (lambda: detectable_difference(-0.1, 3), "cannot be below 0"),
        (lambda: detectable_difference(0.1, 3, alpha=1), "alpha is 1"),
        (lambda: detectable_difference(0.1, 3, power=0), "power is 0"),
    ],
)
def test_what_cannot_be_answered_is_refused(given, why):
    with pytest.raises(ValueError, match=why):
        given()
