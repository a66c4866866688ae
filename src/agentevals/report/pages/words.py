"""The words of a verdict; a sign is never alone, so that nobody needs to see its colour."""

from collections.abc import Callable

from agentevals.model.outcome import Change, Gate, Standing
from agentevals.model.results import Verdict
from agentevals.report.pages import numbers
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
    Change.EQUIVALENT: "equivalent",
    Change.UNCHANGED: "unchanged",
    Change.INCONCLUSIVE: "change inconclusive",
    Change.UNDERPOWERED: "too few cases to tell",
    Change.NO_BASELINE: "nothing to compare with",
    Change.INCOMPATIBLE: "baseline not comparable",
    Change.STALE: "baseline too old",
    Change.NOT_EVALUATED: "not evaluated",
}
_ALPHA = 0.05  # a p value above it decides nothing, and is not shown
_TESTED = frozenset({Change.REGRESSED, Change.IMPROVED})
_SETTLED = frozenset({Change.IMPROVED, Change.EQUIVALENT, Change.UNCHANGED})
_UNCOMPARED = frozenset({Change.NO_BASELINE, Change.INCOMPATIBLE, Change.STALE})
# what a reason is about when it says that nobody can tell
_UNTOLD = frozenset({Change.INCONCLUSIVE, Change.UNDERPOWERED})


def verdict(gate: Gate) -> str:
    """Write what follows from a gate, as the last cell of its row."""
    return f"{sign(gate)} {'; '.join(explain(gate, markdown.text))}"


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


def explain(gate: Gate, written: Callable[[str], str]) -> list[str]:
    """The reason for the verdict, and what became of the figure where that adds anything.

    The reason may be somebody else's text, so `written` makes it fit for the page.
    """
    said = [written(gate.reason)] if gate.reason else []
    kept = gate.limit and not (gate.fails or gate.warns)
    if kept and not said and gate.change not in _SETTLED | {Change.NOT_EVALUATED}:
        said.append("met")
    if _adds(gate):
        tested = gate.change in _TESTED and gate.p_value is not None and gate.p_value < _ALPHA
        p_value = f" ({numbers.probability(gate.p_value or 0.0)})" if tested else ""
        known = _CHANGES[gate.change] in said
        said[-1 if known else len(said) :] = [f"{_CHANGES[gate.change]}{p_value}"]
    return said


def _adds(gate: Gate) -> bool:
    if gate.change in _UNCOMPARED:
        return not gate.reason and not gate.limit
    if gate.change in _UNTOLD:
        return "tell" not in gate.reason
    return gate.change is not Change.NOT_EVALUATED or not gate.reason
