"""`junit`: XML that CI systems draw. A suite is a conversation, a test is an evaluator."""

import html
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from agentevals.model.cases import Status
from agentevals.model.outcome import Outcome
from agentevals.model.results import CaseReport, Result, Verdict
from agentevals.model.review import Review
from agentevals.report import report_tests
from agentevals.report.report_tests import Row

_TEXT = 20_000  # characters of one message
# what XML 1.0 cannot carry, not even escaped, and what reverses the direction of writing
_UNSPEAKABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufffe\uffff]"
)
_COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)  # GitHub's runner obeys such a line
_MILLI = 1_000


FILE = "junit.xml"

Suites = Generator[str, None, bool]  # pieces, and in the end whether a test among them failed


def render(review: Review) -> Iterator[str]:
    """Every reason to fail is a failed test somewhere, and there is none without a reason."""
    reports = [outcome.report for outcome in review.sections if outcome.report]
    title = review.sections[0].title if len(review.sections) == 1 else "agentevals"
    return _document(title, sum(report.duration_ms for report in reports), _suites(review))


def _suites(review: Review) -> Iterator[str]:
    failed = yield from _write_suites(report_tests.list_notes(review))
    for outcome in review.sections:
        failed |= yield from _section(review, outcome)
    if review.verdict is Verdict.FAIL and not failed:
        yield from _write_suites([report_tests.make_verdict_row("(review)")])


def _section(review: Review, outcome: Outcome) -> Suites:
    named = partial(report_tests.add_config_name, review, outcome)
    gates = [] if outcome.stands_alone else report_tests.gates(outcome)
    beside = [*report_tests.problems(outcome), *report_tests.evidence(outcome), *gates]
    failed = yield from _write_suites(beside, named)
    for shown in report_tests.cases(outcome):
        facts = shown.facts
        if outcome.stands_alone:  # nothing was compared
            facts.pop("change", None)
        beside = list(report_tests.list_falls(shown))
        yield _case(shown.case, beside, named(shown.case.case_id), facts)
        fails = shown.case.verdict is Verdict.FAIL and not shown.case.lacks_evidence
        failed |= fails or bool(beside)
    if outcome.verdict is Verdict.FAIL and not failed:
        failed = yield from _write_suites([report_tests.make_verdict_row("(run)")], named)
    return failed


def _write_suites(listed: Iterable[Row], named: Callable[[str], str] = str) -> Suites:
    failed = False
    for suite, members in groupby(listed, key=lambda row: row.suite):
        name, tests = named(suite), list(members)
        count = {status: sum(row.status is status for row in tests) for status in Status}
        yield _suite(
            name,
            [_row(name, row) for row in tests],
            failures=count[Status.FAILED],
            errors=count[Status.ERROR],
            skipped=count[Status.NOT_EVALUATED],
        )
        failed |= bool(count[Status.FAILED] or count[Status.ERROR])
    return failed


def _row(suite: str, row: Row) -> str:
    body = _properties(row.facts, 6) + _outcome(row.status, row.text)
    return _test(suite, row.name, body)


def _document(title: str, milliseconds: float, suites: Iterable[str]) -> Iterator[str]:
    """Suites as one file, however many runs they are from."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield _tag("testsuites", name=title, time=_seconds(milliseconds)) + "\n"
    yield from suites
    yield "</testsuites>\n"


def _case(
    case: CaseReport, beside: Sequence[Row], name: str, facts: Mapping[str, object] | None = None
) -> str:
    """The suite of one case, under the name that it has where several runs share a document.

    What fails it `beside` its evaluators comes last.
    """
    tests = [_result(name, result) for result in case.results]
    count = {status: sum(r.case_status is status for r in case.results) for status in Status}
    failures, errors = count[Status.FAILED], count[Status.ERROR]
    if case.error:
        tests.append(_test(name, "(all)", _problem("error", case.error)))
        errors += 1
    if case.verdict is Verdict.FAIL and not (failures + errors or case.lacks_evidence):
        tests.append(
            _test(name, "(verdict)", _problem("failure", report_tests.explain_verdict(case)))
        )
        failures += 1
    tests += [_row(name, row) for row in beside]
    failures += len(beside)
    return _suite(
        name,
        tests,
        facts,
        failures=failures,
        errors=errors,
        skipped=count[Status.NOT_EVALUATED],
        time=_seconds(sum(result.duration_ms for result in case.results)),
    )


def _suite(
    name: str, tests: list[str], facts: Mapping[str, object] | None = None, /, **attributes: object
) -> str:
    """Tests that belong together, with what is known of all of them."""
    opening = _tag("testsuite", name=name, tests=len(tests), **attributes)
    return f"  {opening}\n{_properties(facts or {}, 4)}{''.join(tests)}  </testsuite>\n"


def _properties(facts: Mapping[str, object], indent: int) -> str:
    """Write what is known of a suite or a test; nothing if there is nothing."""
    space = " " * indent
    known = "".join(
        f"{space}  {_tag('property', name=name, value=value)}</property>\n"
        for name, value in facts.items()
        if value is not None
    )
    return f"{space}<properties>\n{known}{space}</properties>\n" if known else ""


def _result(classname: str, result: Result) -> str:
    known = {"score": result.score, "threshold": result.threshold, "type": result.type}
    body = f"{_properties(known, 6)}{_outcome(result.case_status, report_tests.explain(result))}"
    return _test(classname, result.name, body, time=_seconds(result.duration_ms))


def _test(classname: str, name: str, body: str, /, **attributes: object) -> str:
    """One test; its body is what `properties` and `outcome` wrote."""
    opening = _tag("testcase", classname=classname, name=name, **attributes)
    return f"    {opening}\n{body}    </testcase>\n"


def _outcome(status: Status, text: str) -> str:
    """Write how a test ended, and why; nothing if it passed."""
    if status is Status.ERROR:
        return _problem("error", text)
    if status is Status.FAILED:
        return _problem("failure", text)
    if status is Status.NOT_EVALUATED:
        return f"      {_tag('skipped', message=text)}</skipped>\n"
    return ""


def _problem(kind: str, text: str) -> str:
    """A `failure` or an `error`: its first line is what overviews show."""
    first = text.partition("\n")[0]
    return f"      {_tag(kind, message=first, type=kind)}{_escape(text)}</{kind}>\n"


def _tag(element: str, /, **attributes: object) -> str:
    pairs = (f'{key}="{_attribute(value)}"' for key, value in attributes.items())
    return f"<{' '.join([element, *pairs])}>"


def _attribute(value: object) -> str:
    """Line ends are escaped because a parser would turn them into spaces."""
    return _escape(str(value)).replace("\t", "&#9;").replace("\n", "&#10;")


def _escape(text: str) -> str:
    cut = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
    escaped = html.escape(_UNSPEAKABLE.sub("\ufffd", cut)).replace("##[", "#&#35;[")
    return _COMMAND.sub(r"\1&#58;", escaped).replace("\r", "&#13;")


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / _MILLI:.3f}"
