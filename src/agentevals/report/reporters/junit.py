"""`junit`: XML that CI systems draw. A suite is a conversation, a test is an evaluator."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping

from agentevals.model.cases import Status
from agentevals.model.results import CaseReport, Finding, Report, Result, Severity, Verdict
from agentevals.text import calls, wording

_TEXT = 20_000  # characters of one message
# what XML 1.0 cannot carry, not even escaped, and what reverses the direction of writing
_UNSPEAKABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufffe\uffff]"
)
_COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)  # GitHub's runner obeys such a line
_MILLI = 1_000


def render(report: Report) -> Iterator[str]:
    """Every reason for a run to fail is a failed test somewhere, also those beside the cases."""
    return document(report.title, report.duration_ms, _suites(report))


def _suites(report: Report) -> Iterator[str]:
    serious = [found for found in report.findings if found.severity is Severity.ERROR]
    if serious:
        yield suite("(run)", [_finding(found) for found in serious], errors=len(serious))
    for each in report.cases:
        yield case(each)


def document(title: str, milliseconds: float, suites: Iterable[str]) -> Iterator[str]:
    """Suites as one file, however many runs they are from."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield _tag("testsuites", name=title, time=_seconds(milliseconds)) + "\n"
    yield from suites
    yield "</testsuites>\n"


def case(case: CaseReport, name: str = "", facts: Mapping[str, object] | None = None) -> str:
    """The suite of one case, under another name where several runs share a document."""
    name = name or case.case_id
    tests = [_result(name, result) for result in case.results]
    count = {status: sum(r.outcome is status for r in case.results) for status in Status}
    failures, errors = count[Status.FAILED], count[Status.ERROR]
    if case.error:
        tests.append(test(name, "(all)", problem("error", case.error)))
        errors += 1
    if case.verdict is Verdict.FAIL and not failures + errors:
        tests.append(test(name, "(verdict)", problem("failure", unexplained(case))))
        failures += 1
    return suite(
        name,
        tests,
        facts,
        failures=failures,
        errors=errors,
        skipped=count[Status.NOT_EVALUATED],
        time=_seconds(sum(result.duration_ms for result in case.results)),
    )


def unexplained(case: CaseReport) -> str:
    """Why a case failed none of whose evaluators did."""
    scored = f"scored {wording.score(case.score)}" if case.score is not None else "no score"
    return f"the case failed: {scored}, and not all that is required was evaluated and reached"


def suite(
    name: str, tests: list[str], facts: Mapping[str, object] | None = None, /, **attributes: object
) -> str:
    """Tests that belong together, with what is known of all of them."""
    opening = _tag("testsuite", name=name, tests=len(tests), **attributes)
    return f"  {opening}\n{properties(facts or {}, 4)}{''.join(tests)}  </testsuite>\n"


def properties(facts: Mapping[str, object], indent: int) -> str:
    """What is known of a suite or a test; nothing where nothing is."""
    space = " " * indent
    known = "".join(
        f"{space}  {_tag('property', name=name, value=value)}</property>\n"
        for name, value in facts.items()
        if value is not None
    )
    return f"{space}<properties>\n{known}{space}</properties>\n" if known else ""


def _finding(finding: Finding) -> str:
    return test("(run)", finding.rule, problem("error", str(finding)))


def _result(classname: str, result: Result) -> str:
    known = {"score": result.score, "threshold": result.threshold, "type": result.type}
    body = f"{properties(known, 6)}{outcome(result.outcome, explanation(result))}"
    return test(classname, result.name, body, time=_seconds(result.duration_ms))


def test(classname: str, name: str, body: str, /, **attributes: object) -> str:
    """One test; its body is what `properties` and `outcome` wrote."""
    opening = _tag("testcase", classname=classname, name=name, **attributes)
    return f"    {opening}\n{body}    </testcase>\n"


def outcome(status: Status, text: str) -> str:
    """How a test ended, and why; nothing where it passed."""
    if status is Status.ERROR:
        return problem("error", text)
    if status is Status.FAILED:
        return problem("failure", text)
    if status is Status.NOT_EVALUATED:
        return f"      {_tag('skipped', message=text)}</skipped>\n"
    return ""


def explanation(result: Result) -> str:
    """Why a result is what it is, in lines; empty where it passed."""
    if result.status is Status.ERROR:
        return result.error
    gates = "; ".join(wording.list_missed_gates(result))
    why = "\n".join(filter(None, (*result.misses, result.reasoning, *_calls(result))))
    if result.status is Status.NOT_EVALUATED:
        return "\n".join(filter(None, (gates, why))) or "not evaluated"
    if result.outcome is Status.FAILED:
        first = "; ".join(filter(None, (f"scored {wording.write_judgement(result)}", gates)))
        return f"{first}\n{why}".strip()
    return ""


def _calls(result: Result) -> Iterator[str]:
    for turn, comparison in calls.mismatches(result):
        yield f"calls of turn {turn}, expected (-) and actual (+):"
        yield from calls.write_diff(comparison)


def problem(kind: str, text: str) -> str:
    """A `failure` or an `error`: its first line is what overviews show."""
    first = text.partition("\n")[0]
    return f"      {_tag(kind, message=first, type=kind)}{_escaped(text)}</{kind}>\n"


def _tag(element: str, /, **attributes: object) -> str:
    pairs = (f'{key}="{_attribute(value)}"' for key, value in attributes.items())
    return f"<{' '.join([element, *pairs])}>"


def _attribute(value: object) -> str:
    """Line ends are escaped because a parser would turn them into spaces."""
    return _escaped(str(value)).replace("\t", "&#9;").replace("\n", "&#10;")


def _escaped(text: str) -> str:
    cut = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
    escaped = html.escape(_UNSPEAKABLE.sub("\ufffd", cut)).replace("##[", "#&#35;[")
    return _COMMAND.sub(r"\1&#58;", escaped).replace("\r", "&#13;")


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / _MILLI:.3f}"
