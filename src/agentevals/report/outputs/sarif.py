"""`report.sarif`: what regressed or fails, at its places, for code scanning and editors.

Only what somebody has to act on is a result: GitHub opens an alert for every one of them, also
for those that a file says are suppressed, absent or passed.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from agentevals.model.cases import Status
from agentevals.model.outcome import Highlight, Kind, Outcome, Place, Reason
from agentevals.model.results import Finding, Severity, Verdict
from agentevals.model.review import Review
from agentevals.report import fail_on, report_tests
from agentevals.text import harmless_lines, wording
from agentevals.text.json_text import Items, Members, document, encode

FILE = "report.sarif"

Found = tuple[Highlight, Reason | None]

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_STATE = {
    Kind.REGRESSED: "new",
    Kind.ADDED: "new",
    Kind.CHANGED: "updated",
    Kind.BORDERLINE: "updated",
    Kind.FAILING: "unchanged",
    Kind.FLAKY: "unchanged",
}
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_MOST = 5_000  # results of one run; GitHub shows no more
_LONGEST = 4_096  # characters of a path
_UNEXPLAINED = "(verdict)"
_PLACEHOLDER = re.compile(r"\{(\d+)\}")


def render(review: Review) -> Iterator[str]:
    """A run for each config, so that a later upload replaces its own results only."""
    runs = (_run(review, outcome) for outcome in review.sections)
    return document(Members([("$schema", _SCHEMA), ("version", "2.1.0"), ("runs", Items(runs))]))


def _run(review: Review, outcome: Outcome) -> dict[str, Any]:
    found = list(_find_reasons(outcome))[:_MOST]
    rules = list(dict.fromkeys(_rule_id(reason) for _, reason in found))
    driver: dict[str, Any] = {
        "name": "agentevals",
        "rules": [_rule(name, outcome, found) for name in rules],
    }
    if version := harmless_lines.one_line(review.version, harmless_lines.NAME):
        driver["version"] = version
    return {
        "tool": {"driver": driver},
        "automationDetails": {
            "id": f"agentevals/{quote(harmless_lines.name(outcome.key), safe='')}/"
        },
        "columnKind": "utf16CodeUnits",
        "invocations": [_invocation(outcome)],
        "results": [_result(outcome, rules, pair) for pair in found],
        "properties": {"verdict": outcome.verdict.value, "exitCode": outcome.exit_code},
    }


def _find_reasons(outcome: Outcome) -> Iterator[Found]:
    """Every reason of every case that fails or regressed; one without a reason stands alone."""
    for highlight in outcome.highlights:
        fails = highlight.now is not None and highlight.now.verdict is not Verdict.PASS
        if fail_on.is_fall(highlight) or (fails and not report_tests.acceptance(highlight)):
            for reason in highlight.reasons or (None,):
                yield highlight, reason


def _rule_id(reason: Reason | None) -> str:
    return harmless_lines.name(reason.evaluator) if reason else _UNEXPLAINED


def _rule(name: str, outcome: Outcome, found: list[Found]) -> dict[str, Any]:
    """An evaluator. Where it is configured is a property: descriptors have no locations."""
    places = (reason.rule for _, reason in found if reason and _rule_id(reason) == name)
    place = next(filter(None, places), None) or Place(path=outcome.config)
    said = (
        "The case failed or regressed"
        if name == _UNEXPLAINED
        else f"The evaluator {name} did not pass"
    )
    line = {"line": place.line} if place.line else {}
    return {
        "id": name,
        "shortDescription": _message(said),
        "properties": {"config": harmless_lines.one_line(place.path), **line},
    }


def _result(outcome: Outcome, rules: list[str], found: Found) -> dict[str, Any]:
    highlight, reason = found
    rule = _location(reason.rule) if reason else None
    located = _location(highlight.trace) or rule or _location(Place(path=outcome.config))
    result = {
        "ruleId": _rule_id(reason),
        "ruleIndex": rules.index(_rule_id(reason)),
        "level": _level(outcome, highlight, reason),
        "message": _message(_sentence(highlight, reason)),
        "locations": [located] if located else [],
        "partialFingerprints": _fingerprints(outcome, found),
        "properties": _properties(highlight, reason),
    }
    if rule and rule != located:
        where = {"id": 1, "message": _message("where the evaluator is configured")}
        result["relatedLocations"] = [rule | where]
    if outcome.against.state is None and highlight.kind in _STATE:
        result["baselineState"] = _STATE[highlight.kind]
    return result


def _level(outcome: Outcome, highlight: Highlight, reason: Reason | None) -> str:
    """Warn of what a judge's mood may have decided, of what could not be judged or fails no run."""
    if fail_on.is_fall(highlight):
        return "error" if fail_on.fails_run(outcome, highlight) else "warning"
    if highlight.now and highlight.now.verdict is Verdict.BORDERLINE:
        return "note"
    unjudged = reason is not None and reason.status is Status.NOT_EVALUATED
    return "error" if highlight.certain and not unjudged else "warning"


def _sentence(highlight: Highlight, reason: Reason | None) -> str:
    begin = f"{highlight.case_id} ({highlight.kind.value})"
    if fail_on.is_fall(highlight):
        begin += f": {fail_on.describe(highlight)}"
    if reason is None:
        return begin
    scored = ""
    if reason.score is not None:
        scored = f" scored {wording.write_judgement(reason)}"
    return f"{begin}: {reason.evaluator}{scored}: {reason.text}"


def _message(text: str) -> dict[str, str]:
    """Plain text, in which SARIF would still read links and placeholders."""
    plain = harmless_lines.one_line(text).replace("](", "] (")
    return {"text": _PLACEHOLDER.sub(r"{{\1}}", plain) or "(empty)"}


def _location(place: Place | None) -> dict[str, Any] | None:
    """None for what is no place in the repository."""
    if place is None or not place.path or len(place.path) > _LONGEST:
        return None
    path = PurePosixPath(place.path)
    if path.is_absolute() or ".." in path.parts:
        return None
    uri = quote(str(path), safe="/", errors="replace")
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}
    if place.line and place.line > 0:
        physical["region"] = {"startLine": place.line}
    return {"physicalLocation": physical}


def _fingerprints(outcome: Outcome, found: Found) -> dict[str, str]:
    """Identify an evaluator on a case, wherever its trace has moved to.

    GitHub looks only at the name that it fills itself where nobody else does.
    """
    highlight, reason = found
    about = (outcome.key, highlight.case_id, reason.evaluator if reason else "")
    digest = hashlib.sha256(encode(about)).hexdigest()
    return {"agentevalsCase/v1": digest, "primaryLocationLineHash": f"{digest[:16]}:1"}


def _properties(highlight: Highlight, reason: Reason | None) -> dict[str, Any]:
    known: dict[str, Any] = {
        "case": harmless_lines.name(highlight.case_id),
        "change": highlight.kind.value,
        "certain": highlight.certain,
        "was": highlight.was and highlight.was.verdict.value,
        "now": highlight.now and highlight.now.verdict.value,
    }
    if reason:
        judged = {"score": reason.score, "threshold": reason.threshold, "judged": reason.judged}
        known |= {"status": reason.status.value, **judged}
    return {name: value for name, value in known.items() if value is not None}


def _invocation(outcome: Outcome) -> dict[str, Any]:
    """Say if everything was evaluated, and list what concerns the run as a whole."""
    unknown = outcome.unknown and outcome.unknown.decides
    errors = any(f.severity is Severity.ERROR and f.blame for f in outcome.findings)
    is_cut = outcome.report and outcome.report.partial
    return {
        "executionSuccessful": not (errors or is_cut or unknown),
        "exitCode": outcome.exit_code,
        "toolExecutionNotifications": [_notification(found) for found in outcome.findings],
    }


def _notification(finding: Finding) -> dict[str, Any]:
    located = _location(Place(path=finding.path, line=finding.line))
    said = {
        "descriptor": {"id": harmless_lines.name(finding.rule)},
        "level": _LEVELS[finding.severity],
        "message": _message(finding.message),
    }
    return said | ({"locations": [located]} if located else {})
