""""""

import math

import msgspec
import pytest

from agentevals.model.outcome import Change, Figure, Standing, Unit
from agentevals.model.results import Verdict
from agentevals.report.pages import page_wording
from agentevals.report.pages.figure_rows import Row
from agentevals.report.pages.page_wording import TIED
from agentevals.text.wording import NOTHING
from tests.report.pages.reviews import gate, share

TYPED = str.maketrans(
    {page_wording.TIED: " ", page_wording.MINUS: "-", page_wording.TIMES: "x", "\N{EN DASH}": "?"}
)
FAILS, WARNS, LIMIT = {"fails": True, "limit": "l"}, {"warns": True, "limit": "l"}, {"limit": "l"}
P_VALUE = {"p_value": 0.004}
BELOW, UNTOLD = {"reason": "below the limit"}, {"reason": "cannot tell from these cases"}
TOO_FEW = "too few cases to tell, 74 to 300 would decide"
DROP, BROKEN = {"limit": "drop ≤ 0.03"}, {"reason": "broken"}


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
    assert typed(page_wording.value(number, unit)) == written


def test_a_share_says_how_many_of_how_many():
    assert typed(page_wording.figure(share(54, 60), Unit.SHARE)) == "90.0 % (54/60)"
    assert typed(page_wording.figure(Figure(value=0.9), Unit.SHARE)) == "90.0 %"


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

    assert typed(page_wording.difference(row, interval=True)) == written


def test_an_interval_is_left_out_where_no_decision_rests_on_it():
    row = gate("f", "F", Unit.SCORE, difference=-0.07, interval=(-0.12, -0.03))

    assert typed(page_wording.difference(row)) == "-0.07"


def test_the_pairs_that_got_better_and_worse_are_counted():
    row = gate("f", "F", Unit.SCORE, difference=0.1, pairs=9, better=3, worse=1)

    assert typed(page_wording.difference(row)) == "+0.10: 3 better, 1 worse"


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
    assert page_wording.sparkline(values) == bars


def test_what_does_not_fit_in_a_list_is_counted():
    assert page_wording.list_names(["a", "b", "c"], 2) == "a, b and 1 more"


@pytest.mark.parametrize(
    ("change", "fields", "verdict"),
    [
        (Change.REGRESSED, FAILS | DROP | P_VALUE | BROKEN, "❌ broken (adjusted p = 0.004)"),
        (
            Change.REGRESSED,
            FAILS | DROP | P_VALUE | {"reason": "below the limit; broken"},
            "❌ below the limit; broken (adjusted p = 0.004)",
        ),
        (Change.REGRESSED, FAILS | BELOW | P_VALUE, "❌ below the limit; regressed"),
        (Change.REGRESSED, LIMIT | P_VALUE, "⚠️ met; regressed"),
        (Change.INCONCLUSIVE, FAILS | BELOW, "❌ below the limit"),
        (Change.INCONCLUSIVE, WARNS | UNTOLD, "⚠️ cannot tell from these cases"),
        (Change.INCONCLUSIVE, LIMIT, "✅ met"),
        (Change.INCONCLUSIVE, {}, NOTHING),
        (Change.IMPROVED, LIMIT | {"p_value": 0.0001}, "✅ met; improved"),
        (Change.IMPROVED, {}, "• improved"),
        (Change.KEPT, DROP, "✅ kept"),
        (Change.EQUIVALENT, DROP, "✅ the same within ± 0.03"),
        (Change.UNCHANGED, {}, "• no difference seen"),
        (Change.UNCHANGED, LIMIT, "✅ met"),
        (Change.UNDERPOWERED, WARNS | DROP | {"reason": TOO_FEW}, f"⚠️ {TOO_FEW}"),
        (Change.NO_BASELINE, LIMIT, "✅ met"),
        (Change.NO_BASELINE, {}, NOTHING),
        (Change.INCOMPATIBLE, WARNS | {"reason": "not comparable"}, "⚠️ not comparable"),
        (Change.STALE, LIMIT | {"reason": "the baseline is too old"}, "⚪ the baseline is too old"),
        (Change.STALE, {}, NOTHING),
        (Change.NOT_EVALUATED, LIMIT, "⚪ not evaluated"),
        (Change.NOT_EVALUATED, FAILS | {"reason": "not evaluated"}, "❌ not evaluated"),
    ],
)
def test_a_verdict_is_a_sign_and_words(change, fields, verdict):
    known = gate("f", "F", Unit.SCORE, change=change, **fields)
    row = Row(**msgspec.structs.asdict(known), by_interval="drop" in fields.get("limit", ""))

    assert page_wording.verdict(row).replace(TIED, " ") == verdict


@pytest.mark.parametrize(
    ("standing", "written"),
    [
        (None, "\N{EN DASH}"),
        (Standing(verdict=Verdict.PASS), "✅ pass"),
        (Standing(verdict=Verdict.FAIL, score=0.4), "❌ fail 0.40"),
        (Standing(verdict=Verdict.BORDERLINE, score=0.6), "🟡 borderline 0.60"),
        (Standing(verdict=Verdict.PASS, runs=5, passed=3), "✅ pass (3 of 5 attempts passed)"),
    ],
)
def test_how_a_case_stands_is_said_in_words_as_well(standing, written):
    assert page_wording.standing(standing).replace(TIED, " ") == written
