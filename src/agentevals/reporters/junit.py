"""`junit`: XML that CI systems draw. A suite is a conversation, a test is an evaluator."""

import html
import re
from collections.abc import Iterator

from agentevals.model import Status
from agentevals.presentation import calls, wording
from agentevals.report import CaseReport, Finding, Report, Result, Severity, Verdict

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
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield _tag("testsuites", name=report.title, time=_seconds(report.duration_ms)) + "\n"
    serious = [found for found in report.findings if found.severity is Severity.ERROR]
    if serious:
        yield _suite("(run)", [_finding(found) for found in serious], errors=len(serious))
    for case in report.cases:
        yield _case(case)
    yield "</testsuites>\n"


def _case(case: CaseReport) -> str:
    tests = [_result(case, result) for result in case.results]
    count = {status: sum(r.status is status for r in case.results) for status in Status}
    failures, errors = count[Status.FAILED], count[Status.ERROR]
    if case.error:
        tests.append(_test(case, "(all)", _problem("error", case.error)))
        errors += 1
    if case.verdict is Verdict.FAIL and not failures + errors:
        scored = f"scored {wording.score(case.score)}" if case.score is not None else "no score"
        why = f"the case failed: {scored}, and not all that is required was evaluated and reached"
        tests.append(_test(case, "(verdict)", _problem("failure", why)))
        failures += 1
    return _suite(
        case.case_id,
        tests,
        failures=failures,
        errors=errors,
        skipped=count[Status.NOT_EVALUATED],
        time=_seconds(sum(result.duration_ms for result in case.results)),
    )


def _suite(name: str, tests: list[str], /, **attributes: object) -> str:
    opening = _tag("testsuite", name=name, tests=len(tests), **attributes)
    return f"  {opening}\n{''.join(tests)}  </testsuite>\n"


def _finding(finding: Finding) -> str:
    opening = _tag("testcase", classname="(run)", name=finding.rule)
    return f"    {opening}\n{_problem('error', str(finding))}    </testcase>\n"


def _result(case: CaseReport, result: Result) -> str:
    known = {"score": result.score, "threshold": result.threshold, "type": result.type}
    properties = "".join(
        f"        {_tag('property', name=name, value=value)}</property>\n"
        for name, value in known.items()
        if value is not None
    )
    body = f"      <properties>\n{properties}      </properties>\n{_outcome(result)}"
    return _test(case, result.name, body, time=_seconds(result.duration_ms))


def _test(case: CaseReport, name: str, body: str, /, **attributes: object) -> str:
    opening = _tag("testcase", classname=case.case_id, name=name, **attributes)
    return f"    {opening}\n{body}    </testcase>\n"


def _outcome(result: Result) -> str:
    if result.status is Status.ERROR:
        return _problem("error", result.error)
    why = "\n".join(filter(None, (*result.misses, result.reasoning, *_calls(result))))
    if result.status is Status.NOT_EVALUATED:
        return f"      {_tag('skipped', message=why or 'not evaluated')}</skipped>\n"
    if result.status is Status.FAILED:
        scored = wording.exact_score(result.score)
        needed = wording.exact_score(result.threshold)
        return _problem("failure", f"scored {scored}, needs {needed}\n{why}".strip())
    return ""


def _calls(result: Result) -> Iterator[str]:
    for turn, comparison in calls.mismatches(result):
        yield f"calls of turn {turn}, expected (-) and actual (+):"
        yield from calls.unified(comparison)


def _problem(kind: str, text: str) -> str:
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
