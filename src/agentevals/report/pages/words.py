"""The words of a verdict; a sign is never alone, so that nobody needs to see its colour."""

from collections.abc import Callable

from agentevals.compare.gates import BROKEN
from agentevals.model.outcome import Change, Gate, Standing
from agentevals.model.results import Verdict
from agentevals.report.pages import numbers
from agentevals.report.pages.rows import Row
from agentevals.text import markdown, wording

SIGNS = {
    Verdict.PASS: "✅",
    Verdict.BORDERLINE: "🟡",
    Verdict.FAIL: "❌",
    Verdict.ERROR: "💥",
}
WARNED, NEUTRAL, UNKNOWN = "⚠️", "•", "⚪"

_CHANGES = {
    Change.REGRESSED: "regressed",
    Change.IMPROVED: "improved",
    Change.UNCHANGED: "no difference seen",
    Change.NOT_EVALUATED: "not evaluated",
}


def verdict(row: Row) -> str:
    """Write what follows from a figure, as the last cell of its row."""
    told = "; ".join(explain(row, markdown.text))
    return f"{sign(row)} {told}" if told else wording.NOTHING


def sign(gate: Gate) -> str:
    if gate.fails:
        return SIGNS[Verdict.FAIL]
    if gate.change is Change.NOT_EVALUATED:
        return UNKNOWN
    if gate.warns or gate.has_fallen:
        return WARNED
    if gate.reason:  # it could not be looked at, and nobody minds
        return UNKNOWN
    return SIGNS[Verdict.PASS] if gate.limit else NEUTRAL


def standing(stood: Standing | None) -> str:
    """`❌ fail 0.40`, and how many attempts passed where there were several."""
    if stood is None:
        return wording.NOTHING
    score = f"{numbers.TIED}{wording.score(stood.score)}" if stood.score is not None else ""
    told = wording.write_attempts(stood.passed, stood.runs)
    attempts = f" ({told})" if told else ""
    return f"{SIGNS[stood.verdict]}{numbers.TIED}{stood.verdict.value}{score}{attempts}"


def explain(row: Row, written: Callable[[str], str]) -> list[str]:
    """The reason for the verdict, and what became of the figure where that adds anything.

    The reason may be somebody else's text, so `written` makes it fit for the page.
    """
    reasons = [written(row.reason)] if row.reason else []
    open_ = row.fails or row.warns or row.change is Change.NOT_EVALUATED
    if not reasons and row.limit and not open_:
        reasons.append(_describe_kept(row) or "met")
    if row.change is Change.REGRESSED and row.by_interval:
        known = f" (adjusted {numbers.tied(wording.write_p(row.p_value or 0.0))})"
        return [text + known if text.endswith(BROKEN) else text for text in reasons]
    change = _CHANGES.get(row.change, "")
    if not change or change in row.reason or (row.limit and row.change is Change.UNCHANGED):
        return reasons
    return [*reasons, change]


def _describe_kept(row: Row) -> str:
    """Say how sure it is that the limit of the change is kept."""
    if row.change is Change.KEPT:
        return "kept"
    if row.change is not Change.EQUIVALENT or not isinstance(row.margin, float):
        return ""
    margin = numbers.tied(numbers.write_margin(row.margin, row.unit))
    return f"the same within {margin}"
