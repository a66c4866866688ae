"""`summary`: the verdict and one line per evaluator and conversation."""

from collections.abc import Iterator

from agentevals.compare import comparison
from agentevals.model.cases import Status
from agentevals.model.outcome import Outcome
from agentevals.model.results import CaseReport, Report, Result, Severity
from agentevals.model.review import Review
from agentevals.report import baseline_changes
from agentevals.run import attempts
from agentevals.text import wording
from agentevals.text.terminal import WIDTH, line, plain

_ICONS = {
    Status.PASSED: "[PASS]",
    Status.FAILED: "[FAIL]",
    Status.ERROR: "[ERR!]",
    Status.NOT_EVALUATED: "[----]",
}


def render(review: Review, *, colour: bool = False, width: int = WIDTH) -> Iterator[str]:
    """The predecessor's lines under a verdict of ours, and the comparison below them."""
    for outcome in review.sections:
        yield from _lines(outcome, comparison.report_of(outcome))
        yield from baseline_changes.compare(outcome, colour=colour, columns=width)


def _lines(outcome: Outcome, report: Report) -> Iterator[str]:
    scored = f", score {wording.score(report.score)}" if report.score is not None else ""
    happened = wording.headline(report, outcome.unknown)
    yield line(f"{wording.name_verdict(outcome)}: {happened}{scored}")
    for severity in Severity:
        said = [str(found) for found in report.findings if found.severity is severity]
        if said:
            yield line("") + line(f"{severity.capitalize()}s:")
            yield from (line(f"  - {plain(sentence)}") for sentence in said)
    for case in attempts.list_all(report.cases):
        yield line("") + _case(case)


def _case(case: CaseReport) -> str:
    name = f" {plain(case.eval_case_id, 200)}" if case.eval_case_id else ""
    trace_id = plain(case.trace_ids[0] if case.trace_ids else case.conversation_id, 200)
    verdict = "NOT EVALUATED" if case.is_undecided else case.verdict.upper()
    lines = [f"Trace {trace_id}{name} ({case.turns} invocations): {verdict}"]
    if case.error:
        lines.append(f"  {_ICONS[Status.ERROR]} (all): ERROR - {plain(case.error)}")
    lines += [f"  {_ICONS[result.case_status]} {_result(result)}" for result in case.results]
    return "".join(line(text) for text in lines)


def _result(result: Result) -> str:
    name = plain(result.name, 200)
    if result.error:
        return f"{name}: ERROR - {plain(result.error)}"
    score = wording.read_score(result)
    number = "N/A" if score is None else f"{score:.4f}"
    unjudged = result.problems[:1] if result.status is Status.NOT_EVALUATED else ()
    told = "; ".join((*wording.list_missed_gates(result), *unjudged))
    why = f" - {plain(told)}" if told else ""
    return f"{name}: {number} ({result.case_status}){why} [{wording.duration(result.duration_ms)}]"
