"""`json`: what programs read, compatible with `agentevals-cli` and a superset of it."""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from agentevals.compare import comparison
from agentevals.model.cases import Status
from agentevals.model.completeness import TurnGap
from agentevals.model.conversations import RecordingCost
from agentevals.model.outcome import Against, Counts, Gate, Highlight, Outcome
from agentevals.model.results import (
    Blame,
    CaseReport,
    Finding,
    Partial,
    Report,
    Result,
    Severity,
    Verdict,
)
from agentevals.model.review import Review
from agentevals.report.report_json import write_cases
from agentevals.run import attempts
from agentevals.text import json_text

SCHEMA_VERSION = "1.0"

EvalStatus = Literal["PASSED", "FAILED", "NOT_EVALUATED"]

_THREE_VALUED: dict[Status, EvalStatus] = {
    Status.PASSED: "PASSED",
    Status.FAILED: "FAILED",
    Status.NOT_EVALUATED: "NOT_EVALUATED",
    Status.ERROR: "NOT_EVALUATED",
}


class Metric(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One evaluator's outcome on one conversation.

    `eval_status` knows no errors, as in the predecessor; `outcome` does.
    """

    metric_name: str
    score: float | None
    eval_status: EvalStatus
    per_invocation_scores: tuple[float | None, ...]
    duration_ms: float | None
    error: str | None
    details: dict[str, Any] = {}
    threshold: float | None
    outcome: Status
    isolation: str


class TraceEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One conversation; `trace_id` is that of its earliest trace."""

    trace_id: str
    num_invocations: int
    conversion_warnings: tuple[str, ...]
    metrics: tuple[Metric, ...]
    performance_metrics: dict[str, Any] = {}
    turn_performance_metrics: tuple[dict[str, Any], ...]
    eval_case_id: str | None
    case_id: str
    trace_ids: tuple[str, ...]
    sources: tuple[str, ...]
    verdict: Verdict
    score: float | None
    gaps: tuple[TurnGap, ...] = ()
    lacks_evidence: bool = False


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison of the run with the baseline that was given.

    `gates` are its figures on both sides; `highlights` are the cases that somebody should look at.
    """

    against: Against
    counts: Counts
    gates: tuple[Gate, ...]
    highlights: tuple[Highlight, ...]


class Run(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole document; the source of its JSON Schema."""

    schema_version: str
    verdict: Verdict
    exit_code: int
    score: float | None
    evaluators: tuple[str, ...]
    isolation: str
    traces: tuple[TraceEntry, ...]
    errors: tuple[str, ...]
    findings: tuple[Finding, ...]
    overall: dict[str, dict[str, Any]] = {}
    performance_metrics: dict[str, Any] = {}
    comparison: Comparison | None = None
    partial: Partial | None = None
    recording_cost: RecordingCost | None = None


def schema() -> dict[str, Any]:
    return msgspec.json.schema(Run)


def render(review: Review) -> Iterator[str]:
    """One conversation at a time, so that a report of any size can be written."""
    outcome = review.sections[0]
    report = comparison.report_of(outcome)
    whole = Run(
        schema_version=SCHEMA_VERSION,
        verdict=report.verdict,
        exit_code=report.exit_code,
        score=report.score,
        evaluators=report.evaluators,
        isolation=report.isolation,
        traces=(),
        errors=tuple(str(finding) for finding in report.findings if _concerns_loading(finding)),
        findings=report.findings,
        overall=report.overall,
        performance_metrics=report.performance,
        comparison=_compare(outcome),
        partial=report.partial or None,
        recording_cost=report.recording_cost or None,
    )
    return json_text.document(json_text.Members(_members(whole, report)))


def _compare(outcome: Outcome) -> Comparison | None:
    """Nothing where no baseline was given."""
    if outcome.against.origin is None:
        return None
    return Comparison(
        against=outcome.against,
        counts=outcome.counts,
        gates=outcome.gates,
        highlights=outcome.highlights,
    )


# members that are only there with a value
_LEFT_OUT = {"overall", "performance_metrics", "comparison", "partial", "recording_cost"}


def _members(whole: Run, report: Report) -> Iterator[tuple[str, object]]:
    for name in whole.__struct_fields__:
        value = getattr(whole, name)
        if name == "traces":
            yield name, write_cases(report.cases, _list_entries, level=1)
        elif value or name not in _LEFT_OUT:
            yield name, value


def _concerns_loading(finding: Finding) -> bool:
    """The predecessor's `errors` are files that could not be read."""
    serious = finding.severity is Severity.ERROR and finding.blame is Blame.INPUT
    return serious and bool(finding.path)


def _list_entries(case: CaseReport) -> Iterator[TraceEntry]:
    return map(_entry, attempts.list_attempts(case))


def _entry(case: CaseReport) -> TraceEntry:
    return TraceEntry(
        trace_id=case.trace_ids[0] if case.trace_ids else case.conversation_id,
        num_invocations=case.turns,
        conversion_warnings=case.warnings,
        metrics=(_all(case.error),) if case.error else tuple(map(_metric, case.results)),
        performance_metrics=case.performance,
        turn_performance_metrics=case.turn_performance,
        eval_case_id=case.eval_case_id,
        case_id=case.case_id,
        trace_ids=case.trace_ids,
        sources=case.sources,
        verdict=case.verdict,
        score=case.score,
        gaps=case.gaps or (),
        lacks_evidence=bool(case.lacks_evidence),
    )


def _metric(result: Result) -> Metric:
    return Metric(
        metric_name=result.name,
        score=result.score,
        eval_status=_THREE_VALUED[result.status],
        per_invocation_scores=result.per_turn,
        duration_ms=result.duration_ms,
        error=result.error or None,
        details=result.details,
        threshold=result.threshold,
        outcome=result.case_status,
        isolation=result.isolation,
    )


def _all(error: str) -> Metric:
    """Return the row for an evaluator of a conversation that holds nothing to evaluate."""
    return Metric(
        metric_name="(all)",
        score=None,
        eval_status="NOT_EVALUATED",
        per_invocation_scores=(),
        duration_ms=None,
        error=error,
        threshold=None,
        outcome=Status.ERROR,
        isolation="",
    )
