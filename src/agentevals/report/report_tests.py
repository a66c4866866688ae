"""The tests that JUnit and CTRF list: the cases of an outcome, its gates and its problems."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from agentevals.compare.outcome_findings import RULE
from agentevals.model.cases import Status
from agentevals.model.noun import Noun
from agentevals.model.outcome import Change, Gate, Highlight, Outcome
from agentevals.model.results import EVALUATOR_ERROR, CaseReport, Finding, Result, Severity, Verdict
from agentevals.model.review import Review
from agentevals.report import fail_on
from agentevals.run.attempts import describe_attempts, list_attempts
from agentevals.text import aligned_calls, wording
from agentevals.text.tracebacks import shorten_error


class Row(Noun, frozen=True):
    """One test: an evaluator on a case, a finding, a gate, a verdict."""

    suite: str
    name: str
    status: Status
    text: str = ""
    facts: dict[str, Any] = {}
    duration_ms: float = 0.0


class Shown(NamedTuple):
    """A case as files show it, and why it is among the highlights if it is.

    `fall` is one of them: the case regressed although it passes, which `fails` the run or warns.
    """

    case: CaseReport
    highlights: tuple[Highlight, ...] = ()
    fall: Highlight | None = None
    fails: bool = False

    @property
    def facts(self) -> dict[str, Any]:
        """Return what is known of the case besides its results."""
        told = describe_attempts(self.case)
        attempts = {"attempts": told} if told else {}
        if not self.highlights:
            return attempts
        accepted = next(filter(None, map(acceptance, self.highlights)), None)
        known = {"change": ", ".join(dict.fromkeys(h.kind.value for h in self.highlights))}
        if accepted:
            known["accepted"] = accepted
        if self.fall and not self.fails:
            known["warning"] = f"regressed: {fail_on.describe(self.fall)}"
        return attempts | known

    @property
    def is_flaky(self) -> bool:
        """True if some of its attempts passed and some failed."""
        judged = (one for one in list_attempts(self.case) if not one.is_undecided)
        ends = {one.verdict is Verdict.FAIL for one in judged if one.verdict is not Verdict.ERROR}
        return len(ends) > 1 or any(one.now and one.now.is_flaky for one in self.highlights)


def acceptance(highlight: Highlight) -> str:
    """Until when and why somebody answers for a failing case; empty where nobody does."""
    given = highlight.accepted
    return (
        f"accepted until {given.until}: {given.reason}" if given and not highlight.expired else ""
    )


def add_config_name(review: Review, outcome: Outcome, name: str) -> str:
    """A name that says of which config it is, where there are several."""
    return name if len(review.sections) == 1 else f"{outcome.key}: {name}"


def list_notes(review: Review) -> list[Row]:
    """Return the rows for what concerns the whole review and fails it."""
    return list(_findings("(review)", review.notes))


def problems(outcome: Outcome) -> list[Row]:
    """Problems that fail a section. Evaluators in error have rows of their own in its cases."""
    known = outcome.report.findings if outcome.report else ()
    found = dict.fromkeys((*known, *outcome.findings))
    told = {EVALUATOR_ERROR} if outcome.report else set()
    return list(_findings("(run)", (one for one in found if one.rule not in told)))


def evidence(outcome: Outcome) -> list[Row]:
    """Evidence that is missing, a row for each remedy: an error where that fails the run."""
    strict = outcome.report is not None and outcome.report.policy.fail_on_not_evaluated
    lacking = bool(outcome.unknown and outcome.unknown.cases)
    status = Status.ERROR if strict and lacking else Status.NOT_EVALUATED
    found = [one for one in outcome.findings if one.rule == RULE]
    return [
        Row(suite="(evidence)", name=f"missing evidence {at}", status=status, text=one.message)
        for at, one in enumerate(found, start=1)
    ]


def gates(outcome: Outcome) -> list[Row]:
    """The gates of a section, and what all cases show together."""
    found = [_gate(one, fail_on.tell_lost(outcome, one)) for one in outcome.gates]
    if why := fail_on.tell_decline(outcome):
        found.append(Row(suite="(run)", name="(regressed)", status=Status.FAILED, text=why))
    return found


def list_falls(shown: Shown) -> Iterator[Row]:
    """Yield the test that fails the run although the case passes, if it is one of these."""
    if shown.fall and shown.fails:
        why = (f"{one.evaluator}: {one.text}" for one in shown.fall.reasons)
        text = "\n".join((fail_on.describe(shown.fall), *why))
        case = shown.case.case_id
        yield Row(suite=case, name="(regressed)", status=Status.FAILED, text=text)


def make_verdict_row(suite: str) -> Row:
    """The verdict as a test, for what fails without a test that does."""
    why = "it fails although no case, gate or finding here does; the comment and the log say why"
    return Row(suite=suite, name="(verdict)", status=Status.FAILED, text=why)


def cases(outcome: Outcome) -> Iterator[Shown]:
    """Return the cases of the run, or its highlights if no run is kept. Accepted failures pass."""
    shown: dict[str, tuple[Highlight, ...]] = {}
    for highlight in outcome.highlights:
        shown[highlight.case_id] = (*shown.get(highlight.case_id, ()), highlight)
    fell = {one.case_id: (one, fails) for one, fails in fail_on.list_falls(outcome)}
    if outcome.report is None:
        listed: Iterable[CaseReport] = (_make_case(h[0]) for h in shown.values() if h[0].now)
    else:
        listed = outcome.report.cases
    for case in listed:
        highlights = shown.get(case.case_id, ())
        yield Shown(_excuse_case(case, highlights), highlights, *fell.get(case.case_id, ()))


def _findings(suite: str, findings: Iterable[Finding]) -> Iterator[Row]:
    for found in findings:
        if found.severity is Severity.ERROR:
            yield Row(suite=suite, name=found.rule, status=Status.ERROR, text=str(found))


def _gate(gate: Gate, lost: str) -> Row:
    known = {
        "value": gate.head and gate.head.value,
        "base": gate.base and gate.base.value,
        "difference": gate.difference,
        "limit": gate.limit or None,
        "change": gate.change.value,
    }
    if gate.fails or lost:
        text = gate.reason or lost or f"does not keep to its limit: {gate.limit}"
        status = Status.FAILED
    elif gate.head is None or gate.change is Change.NOT_EVALUATED:
        status, text = Status.NOT_EVALUATED, gate.reason or "not evaluated"
    else:
        status, text = Status.PASSED, ""
    return Row(suite="(gates)", name=gate.name, status=status, text=text, facts=known)


def _excuse_case(case: CaseReport, highlights: tuple[Highlight, ...]) -> CaseReport:
    """Only scores can be accepted, and only all that failed a case together."""
    reason = next(filter(None, map(acceptance, highlights)), "")
    broken = case.error or any(result.status is Status.ERROR for result in case.results)
    if not reason or broken or case.verdict is not Verdict.FAIL:
        return case
    results = tuple(_excuse_result(result, reason) for result in case.results)
    return msgspec.structs.replace(case, results=results, verdict=Verdict.PASS)


def _excuse_result(result: Result, reason: str) -> Result:
    if result.case_status is not Status.FAILED:
        return result
    misses = (reason, *result.misses)
    return msgspec.structs.replace(result, status=Status.NOT_EVALUATED, misses=misses)


def _make_case(highlight: Highlight) -> CaseReport:
    results = tuple(
        Result(
            name=reason.evaluator,
            type="",
            status=reason.status,
            score=reason.score,
            threshold=reason.threshold,
            scale=reason.scale,
            raw=reason.raw,
            misses=(reason.text,),
            error=reason.text if reason.status is Status.ERROR else "",
        )
        for reason in highlight.reasons
    )
    now = highlight.now
    return CaseReport(
        case_id=highlight.case_id,
        verdict=now.verdict if now else Verdict.FAIL,
        score=now.score if now else None,
        results=results,
        sources=(highlight.trace.path,) if highlight.trace else (),
    )


def explain_verdict(case: CaseReport) -> str:
    """Why a case failed none of whose evaluators did."""
    scored = f"scored {wording.score(case.score)}" if case.score is not None else "no score"
    return f"the case failed: {scored}, and not all that is required was evaluated and reached"


def explain(result: Result) -> str:
    """Why a result is what it is, in lines; empty where it passed."""
    if result.status is Status.ERROR:
        return "\n".join(dict.fromkeys((shorten_error(result.error), result.error)))
    if result.gap:
        return result.gap.missing
    gates = "; ".join(wording.list_missed_gates(result))
    why = "\n".join(filter(None, (*result.misses, result.reasoning, *_calls(result))))
    if result.status is Status.NOT_EVALUATED:
        return "\n".join(filter(None, (gates, why))) or "not evaluated"
    if result.case_status is Status.FAILED:
        first = "; ".join(filter(None, (f"scored {wording.write_judgement(result)}", gates)))
        return f"{first}\n{why}".strip()
    return ""


def _calls(result: Result) -> Iterator[str]:
    for turn, comparison in aligned_calls.mismatches(result):
        yield f"calls of turn {turn}, expected (-) and actual (+):"
        yield from aligned_calls.write_diff(comparison)
