import msgspec
import pytest

from agentevals.model.outcome import Change, Standing, Unit
from agentevals.model.results import Verdict
from agentevals.report.pages import words
from agentevals.report.pages.numbers import TIED
from agentevals.report.pages.rows import Row
from agentevals.text.wording import NOTHING
from tests.report.pages.reviews import gate

FAILS, WARNS, LIMIT = {"fails": True, "limit": "l"}, {"warns": True, "limit": "l"}, {"limit": "l"}
P_VALUE = {"p_value": 0.004}
BELOW, UNTOLD = {"reason": "below the limit"}, {"reason": "cannot tell from these cases"}
TOO_FEW = "too few cases to tell, 74 to 300 would decide"
DROP, BROKEN = {"limit": "drop ≤ 0.03"}, {"reason": "broken"}


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

    assert words.verdict(row).replace(TIED, " ") == verdict


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
    assert words.standing(standing).replace(TIED, " ") == written
