"""Remarks on lines of the repository: where a trace went wrong, and the rule that it broke."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from agentevals.compare.outcome_findings import RULE
from agentevals.model.noun import Noun
from agentevals.model.outcome import Highlight, Kind, Outcome, Place, Reason
from agentevals.model.results import EVALUATOR_ERROR, Finding, Severity
from agentevals.model.review import Review
from agentevals.report import fail_on
from agentevals.report.pages import page_links
from agentevals.text import markdown, wording

MOST = 200  # more than anybody reads
TITLE = 255  # characters
MESSAGE = 64 * 1_024  # bytes

_REASON = 600  # characters
_CASES = 20  # named at one rule


class Level(StrEnum):
    """The mark that GitHub gives the line, from worst to least."""

    FAILURE = "failure"
    WARNING = "warning"
    NOTICE = "notice"


class Annotation(Noun, frozen=True):
    """A remark on one line. The text is plain: no Markdown is read there."""

    path: str
    line: int
    level: Level
    title: str
    message: str


class Chosen(NamedTuple):
    """The worst ones, and how many others there would have been."""

    shown: tuple[Annotation, ...]
    dropped: int


def annotations(review: Review, most: int = MOST) -> tuple[Annotation, ...]:
    return choose(review, most).shown


def choose(review: Review, most: int = MOST) -> Chosen:
    """Failures first, and of those what the reader can change first: findings, rules, traces."""
    # the log of a run annotates its errors itself; that of another run is not about this commit
    notes = (n for n in review.notes if review.scene.secondhand or n.severity is not Severity.ERROR)
    found = [*_annotate_findings(notes)]
    for outcome in review.sections:
        found += _annotate_findings(outcome.findings, outcome.config)
    for make in (_annotate_rules, _annotate_traces):
        for outcome in review.sections:
            found += make(outcome)
    ranked = sorted(dict.fromkeys(found), key=lambda one: list(Level).index(one.level))
    return Chosen(tuple(ranked[:most]), max(0, len(ranked) - most))


_LEVELS = {
    Severity.ERROR: Level.FAILURE,
    Severity.WARNING: Level.WARNING,
    Severity.NOTE: Level.NOTICE,
}
_SHOWN = {
    Kind.REGRESSED: "regressed",
    Kind.FAILING: "fails",
    Kind.ADDED: "is new and fails",
    Kind.BORDERLINE: "is borderline",
    Kind.FLAKY: "is flaky",
}


def _annotate_findings(found: Iterable[Finding], config: str = "") -> Iterator[Annotation]:
    """Missing evidence and errors of evaluators belong to no line; they are told at the config."""
    for finding in found:
        path = config if finding.rule in {RULE, EVALUATOR_ERROR} else finding.path
        place = Place(path=path, line=finding.line)
        level = _LEVELS[finding.severity]
        yield from _annotate(place, level, finding.rule.replace("-", " "), finding.message)


def _annotate_traces(outcome: Outcome) -> Iterator[Annotation]:
    for one in _remarkable(outcome):
        fall = [fail_on.describe(one)] if fail_on.is_fall(one) else []
        reasons = "\n".join((*fall, *map(_write_reason, one.reasons)))
        title = f"{one.case_id[:100]} {_SHOWN[one.kind]}"
        yield from _annotate(one.trace, _level(outcome, one), title, reasons or title)


def _annotate_rules(outcome: Outcome) -> Iterator[Annotation]:
    """One remark at each rule, with the cases that break it."""
    broken: dict[Place, list[tuple[Highlight, Reason]]] = {}
    for one in _remarkable(outcome):
        for reason in one.reasons:
            if reason.rule is not None:
                broken.setdefault(reason.rule, []).append((one, reason))
    for place, ones in broken.items():
        level = min((_level(outcome, one) for one, _ in ones), key=list(Level).index)
        cases = wording.plural(len({one.case_id for one, _ in ones}), "case")
        title = f"{ones[0][1].evaluator[:100] or 'this rule'}: not met by {cases}"
        lines = [f"{_name(one)}: {_write_reason(reason)}" for one, reason in ones[:_CASES]]
        yield from _annotate(place, level, title, "\n".join(lines))


def _remarkable(outcome: Outcome) -> list[Highlight]:
    return [one for one in outcome.highlights if _is_remarkable(one)]


def _is_remarkable(one: Highlight) -> bool:
    is_accepted = one.accepted is not None and not one.expired
    passes = one.kind is Kind.ADDED and not one.fails
    return one.kind in _SHOWN and not is_accepted and not passes


def _level(outcome: Outcome, one: Highlight) -> Level:
    """Return how loud an annotation is. Only what keeps people from merging is a failure."""
    if fail_on.is_fall(one):
        return Level.FAILURE if fail_on.fails_run(outcome, one) else Level.WARNING
    blocks = outcome.exit_code and one.kind not in {Kind.FLAKY, Kind.BORDERLINE}
    return Level.FAILURE if blocks else Level.WARNING


def _name(one: Highlight) -> str:
    told = f" ({fail_on.describe(one)})" if fail_on.is_fall(one) else ""
    return one.case_id[:100] + told


def _write_reason(reason: Reason) -> str:
    judged = ", says a judge" if reason.judged else ""
    return f"{reason.evaluator[:100]}{judged}: {reason.text[:_REASON]}"


def _annotate(place: Place | None, level: Level, title: str, message: str) -> Iterator[Annotation]:
    """Only on a line that a file of the repository can have."""
    if place is None or not page_links.is_within_repository(place.path):
        return
    lines = [markdown.write_title(line, 2 * _REASON) for line in message.split("\n")]
    text = "\n".join(filter(None, lines)) or "no reason was given"
    yield Annotation(
        path=place.path,
        line=max(1, place.line or 1),
        level=level,
        title=markdown.write_title(title, TITLE - 1),
        message=_cut(text),
    )


def _cut(text: str) -> str:
    encoded = text.encode()
    if len(encoded) <= MESSAGE:
        return text
    return encoded[: MESSAGE - 3].decode(errors="ignore") + "…"
