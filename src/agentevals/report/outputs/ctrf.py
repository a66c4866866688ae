"""`ctrf.json`: the Common Test Report Format, which reporters of many languages share."""

import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from agentevals.model.cases import Status
from agentevals.model.outcome import Outcome
from agentevals.model.results import CaseReport, Result, Verdict
from agentevals.model.review import Review
from agentevals.report import report_tests
from agentevals.report.report_tests import Row, Shown
from agentevals.text import harmless_lines
from agentevals.text.json_text import Items, Members, document, encode

FILE = "ctrf.json"

_SPEC_VERSION = "0.0.0"
_STATUSES = ("passed", "failed", "skipped", "pending", "other")
_STATUS = {
    Status.PASSED: "passed",
    Status.FAILED: "failed",
    Status.ERROR: "failed",  # no reader may take it for passed; `rawStatus` tells it apart
    Status.NOT_EVALUATED: "skipped",
}
_SPACE = uuid.UUID("7b0ec2d7-2f43-5e0c-9a3c-4d1b8a6d9d52")  # what ids are made within
_MILLI = 1_000


class Test(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One evaluator on one case, or what stands beside the cases."""

    id: str
    name: str
    status: str
    duration: int
    suite: tuple[str, ...]
    raw_status: str
    message: str = ""
    trace: str = ""
    file_path: str = ""
    line: int | None = None
    flaky: bool = False
    extra: dict[str, Any] = {}


def render(review: Review) -> Iterator[str]:
    """One test at a time."""
    known = {"reportFormat": "CTRF", "specVersion": _SPEC_VERSION, "generatedBy": "agentevals"}
    return document(Members([*known.items(), ("results", Members(_results(review)))]))


def _results(review: Review) -> Iterator[tuple[str, object]]:
    """The summary stands behind the tests, because it is known only then."""
    count: Counter[str] = Counter()
    yield (
        "tool",
        {
            "name": "agentevals",
            "version": harmless_lines.one_line(review.version, harmless_lines.NAME),
        },
    )
    yield "tests", Items(_count_tests(_tests(review), count))
    start, duration = _start(review.scene.made_at), _duration(review)
    times = {"start": start, "stop": start + duration, "duration": duration}
    yield "summary", {"tests": count.total(), **{s: count[s] for s in _STATUSES}, **times}


def _count_tests(tests: Iterator[Test], count: Counter[str]) -> Iterator[Test]:
    for test in tests:
        count[test.status] += 1
        yield test


def _tests(review: Review) -> Iterator[Test]:
    notes = report_tests.list_notes(review)
    failed = bool(notes)
    yield from (_test("", row) for row in notes)
    for outcome in review.sections:
        for test in _section(outcome):
            failed |= test.status == "failed"
            yield test
    if review.verdict is Verdict.FAIL and not failed:
        yield _test("", report_tests.make_verdict_row("(review)"))


def _section(outcome: Outcome) -> Iterator[Test]:
    beside = (
        *report_tests.problems(outcome),
        *report_tests.evidence(outcome),
        *report_tests.gates(outcome),
    )
    yield from (_test(outcome.key, row) for row in beside)
    for shown in report_tests.cases(outcome):
        yield from (_test(outcome.key, row, shown) for row in _list_rows(shown))


def _list_rows(shown: Shown) -> Iterator[Row]:
    """As JUnit has them: its evaluators, or what failed it where none of them did."""
    case = shown.case
    listed = [_make_row(case, result) for result in case.results]
    if case.error:
        listed.append(Row(suite=case.case_id, name="(all)", status=Status.ERROR, text=case.error))
    unexplained = case.verdict is Verdict.FAIL and not case.lacks_evidence
    if unexplained and not any(_STATUS[row.status] == "failed" for row in listed):
        why = report_tests.explain_verdict(case)
        listed.append(Row(suite=case.case_id, name="(verdict)", status=Status.FAILED, text=why))
    yield from (*listed, *report_tests.list_falls(shown))


def _make_row(case: CaseReport, result: Result) -> Row:
    return Row(
        suite=case.case_id,
        name=result.name,
        status=result.case_status,
        text=report_tests.explain(result),
        facts={"score": result.score, "threshold": result.threshold},
        duration_ms=result.duration_ms,
    )


def _test(config: str, row: Row, shown: Shown | None = None) -> Test:
    highlights = shown.highlights if shown else ()
    trace = next((found.trace for found in highlights if found.trace), None)
    source = next(iter(shown.case.sources), "") if shown else ""
    explained = harmless_lines.lines(row.text)
    return Test(
        id=str(uuid.uuid5(_SPACE, encode((config, row.suite, row.name)).decode())),
        name=harmless_lines.name(f"{row.suite}: {row.name}"),
        status=_STATUS[row.status],
        duration=round(row.duration_ms),
        suite=tuple(harmless_lines.name(part) for part in (config, row.suite) if part),
        raw_status=row.status.value,
        message=explained.partition("\n")[0],
        trace=explained,
        file_path=harmless_lines.one_line(trace.path if trace else source),
        line=trace.line if trace else None,
        flaky=shown is not None and shown.is_flaky,
        extra=_facts(row.facts | (shown.facts if shown else {})),
    )


def _facts(facts: dict[str, Any]) -> dict[str, Any]:
    cleaned = (
        (k, harmless_lines.one_line(v) if isinstance(v, str) else v) for k, v in facts.items()
    )
    return {name: value for name, value in cleaned if value is not None}


def _start(made_at: str) -> int:
    """When it was made, in milliseconds; a review does not look at the clock."""
    try:
        made = datetime.fromisoformat(made_at)
    except ValueError:
        return 0
    return round(made.timestamp() * _MILLI) if made.tzinfo else 0


def _duration(review: Review) -> int:
    return round(sum(s.report.duration_ms for s in review.sections if s.report))
