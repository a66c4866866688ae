import math

import pytest

from agentevals.model.outcome import Figure, Unit
from agentevals.report.pages import numbers
from tests.report.pages.reviews import gate, share

TYPED = str.maketrans(
    {numbers.TIED: " ", numbers.MINUS: "-", numbers.TIMES: "x", "\N{EN DASH}": "?"}
)


def typed(text):
    """With the signs of a keyboard."""
    return text.translate(TYPED)


@pytest.mark.parametrize(
    ("number", "unit", "written"),
    [
        (0.9, Unit.SHARE, "90.0 %"),
        (0.99999, Unit.SHARE, "99.9 %"),
        (1.0, Unit.SHARE, "100.0 %"),
        (0.937, Unit.SCORE, "0.94"),
        (0.999, Unit.SCORE, "0.99"),
        (4.1, Unit.SCORE, "4.10"),
        (12345.4, Unit.TOKENS, "12,345"),
        (8200.0, Unit.MILLISECONDS, "8.2 s"),
        (80.0, Unit.MILLISECONDS, "80 ms"),
        (0.0, Unit.MONEY, "$0"),
        (0.041, Unit.MONEY, "$0.041"),
        (0.00456, Unit.MONEY, "$0.0046"),
        (0.5, Unit.MONEY, "$0.50"),
        (1234.5, Unit.MONEY, "$1,234.50"),
        (None, Unit.SCORE, "?"),
        (math.nan, Unit.MONEY, "?"),
        (math.inf, Unit.MILLISECONDS, "?"),
        (1e300, Unit.TOKENS, "1.00e+300"),
    ],
)
def test_values_are_written_in_their_unit(number, unit, written):
    assert typed(numbers.value(number, unit)) == written


def test_a_share_says_how_many_of_how_many():
    assert typed(numbers.figure(share(54, 60), Unit.SHARE)) == "90.0 % (54/60)"
    assert typed(numbers.figure(Figure(value=0.9), Unit.SHARE)) == "90.0 %"


@pytest.mark.parametrize(
    ("unit", "difference", "interval", "written"),
    [
        (Unit.SHARE, -0.033, (-0.098, 0.031), "-3.3 pp (-9.8 … +3.1)"),
        (Unit.SHARE, 0.0, None, "0.0 pp"),
        (Unit.SCORE, -0.07, (-0.12, -0.03), "-0.07 (-0.12 … -0.03)"),
        (Unit.SCORE, -0.001, None, "0.00"),
        (Unit.MONEY, 1.12, (1.08, 1.17), "x1.12 (1.08 … 1.17)"),
        (Unit.MILLISECONDS, 0.98, None, "x0.98"),
        (Unit.TOKENS, math.inf, None, "?"),
        (Unit.SCORE, None, (0, 1), "?"),
        (Unit.SCORE, 0.1, (math.nan, 1.0), "+0.10"),
    ],
)
def test_differences_are_signed_and_ratios_are_not(unit, difference, interval, written):
    row = gate("f", "F", unit, difference=difference, interval=interval)

    assert typed(numbers.difference(row, interval=True)) == written


def test_an_interval_is_left_out_where_no_decision_rests_on_it():
    row = gate("f", "F", Unit.SCORE, difference=-0.07, interval=(-0.12, -0.03))

    assert typed(numbers.difference(row)) == "-0.07"


def test_the_pairs_that_got_better_and_worse_are_counted():
    row = gate("f", "F", Unit.SCORE, difference=0.1, pairs=9, better=3, worse=1)

    assert typed(numbers.difference(row)) == "+0.10: 3 better, 1 worse"


@pytest.mark.parametrize(
    ("values", "bars"),
    [
        ([], ""),
        ([0.5], "▅"),
        ([0.9, 0.9, 0.9001], "▅▅▅"),
        ([0.0, 0.5, 1.0], "▃▅█"),
        ([None, math.nan, 1.0, 2.0], "··▃█"),
        ([0, 0], "▅▅"),
    ],
)
def test_bars_go_from_the_lowest_to_the_highest(values, bars):
    assert numbers.sparkline(values) == bars


def test_what_does_not_fit_in_a_list_is_counted():
    assert numbers.list_names(["a", "b", "c"], 2) == "a, b and 1 more"
