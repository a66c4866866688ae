"""The words of a verdict; a sign is never alone, so that nobody needs to see its colour."""

from agentevals.pages import numbers
from agentevals.presentation import markdown, wording
from agentevals.report import Verdict
from agentevals.review import Change, Gate, Standing

SIGNS = {Verdict.PASS: "✅", Verdict.BORDERLINE: "🟡", Verdict.FAIL: "❌"}
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
_TESTED = frozenset({Change.REGRESSED, Change.IMPROVED})
# without a comparison a limit can still be kept, and needs no excuse
_UNCOMPARED = frozenset({Change.NO_BASELINE, Change.INCOMPATIBLE, Change.STALE})


def verdict(gate: Gate) -> str:
    """What follows from a gate, as the last cell of its row."""
    return f"{sign(gate)} {'; '.join(_said(gate)) or 'met'}"


def sign(gate: Gate) -> str:
    if gate.fails:
        return SIGNS[Verdict.FAIL]
    if gate.change is Change.NOT_EVALUATED:
        return UNKNOWN
    if gate.warns:
        return WARNED
    return SIGNS[Verdict.PASS] if gate.limit else NEUTRAL


def standing(stood: Standing | None) -> str:
    """`❌ 0.40`, with how many of its repeats passed where there are several."""
    if stood is None:
        return wording.NOTHING
    score = f" {wording.score(stood.score)}" if stood.score is not None else ""
    repeats = f" ({stood.passed}/{stood.runs} runs)" if stood.runs > 1 else ""
    return f"{SIGNS[stood.verdict]} {stood.verdict}{score}{repeats}"


def _said(gate: Gate) -> list[str]:
    said = [markdown.text(gate.reason)] if gate.reason else []
    own = _CHANGES[gate.change]
    if gate.change in _UNCOMPARED or (gate.reason and gate.change not in _ADDED):
        own = "" if said or gate.limit else own
    if own and own not in gate.reason:
        said.append(own)
    if gate.change in _TESTED and gate.p_value is not None:
        said[-1] += f" ({numbers.probability(gate.p_value)})"
    if gate.more_cases and str(gate.more_cases) not in gate.reason:
        said.append(f"{wording.plural(gate.more_cases, 'more case')} would do")
    return said


# what is worth adding to a reason, because a limit may be missed whatever the change was
_ADDED = frozenset({Change.REGRESSED, Change.IMPROVED, Change.EQUIVALENT, Change.UNCHANGED})
