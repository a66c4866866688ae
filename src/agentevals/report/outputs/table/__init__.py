"""`table`: what people read in a terminal; verdict first, then what went wrong, then the rest.

A reason why cases could not be graded stands there once, with the cases it concerns.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from agentevals.compare import comparison
from agentevals.model import project_links
from agentevals.model.cases import Status
from agentevals.model.outcome import Outcome
from agentevals.model.results import (
    EVALUATOR_ERROR,
    CaseReport,
    Evaluation,
    Report,
    Severity,
    Verdict,
)
from agentevals.model.review import Review
from agentevals.report import baseline_changes, overall_figures
from agentevals.report.outputs.table.table_failures import Failures
from agentevals.report.outputs.table.table_matrix import Matrix
from agentevals.text import wording
from agentevals.text.terminal import READ, WIDTH, Ink, Pen, block, clip, line, plain, wrap
from agentevals.text.tracebacks import is_crash, shorten_error

_DOUBTS = 5  # shown; the others are counted
_NARROWEST, _WIDEST = 60, 140  # a line longer than that is not read, it is searched
_VERDICT_INKS = {
    Verdict.PASS: Ink.GOOD,
    Verdict.BORDERLINE: Ink.WARN,
    Verdict.FAIL: Ink.BAD,
    Verdict.ERROR: Ink.WARN,
}
_SEVERITIES = {
    Severity.ERROR: ("✗", Ink.BAD),
    Severity.WARNING: ("!", Ink.WARN),
    Severity.NOTE: ("·", Ink.QUIET),
}
_REASONS = 20  # different ones that are shown
_NAMED = 3  # cases that are named before the rest is counted
_LINES = 8  # of one reason
_BEFORE = 6  # of a traceback, from its end
_INKS = {Status.ERROR: Ink.BAD, Status.NOT_EVALUATED: Ink.WARN}


def render(review: Review, *, colour: bool = False, width: int = WIDTH) -> Iterator[str]:
    """Each run with the comparison below it."""
    for outcome in review.sections:
        yield from render_run(outcome, colour=colour, width=width)
        yield from baseline_changes.compare(outcome, colour=colour, columns=width)


class Shown:
    """The parts of a table that come from the cases, collected in one walk over them."""

    def __init__(self, run: Evaluation | Report) -> None:
        self.failures, self.problems, self.matrix = Failures(), Problems(), Matrix(run)
        self.doubts: list[str] = []
        self.more_doubts = 0

    def add(self, case: CaseReport) -> None:
        """Look at one case; to be called for each, in the order of the run."""
        for part in (self.failures, self.problems, self.matrix):
            part.add(case)
        for why in case.warnings:
            if len(self.doubts) < _DOUBTS:
                where = ", ".join(case.sources) or case.case_id
                self.doubts.append(plain(f"{where}: {why}; check what recorded it"))
            else:
                self.more_doubts += 1


def render_run(
    outcome: Outcome, shown: Shown | None = None, *, colour: bool = False, width: int = WIDTH
) -> Iterator[str]:
    """Sections with an empty line before each; a section with nothing to say is not there.

    Whoever has walked over the cases gives what was `shown` of them.
    """
    report = comparison.report_of(outcome)
    shown = shown or _walk(report)
    pen, width = Pen(colour), min(max(width, _NARROWEST), _WIDEST)
    sections = (
        shown.failures.section(pen, width),
        shown.problems.section(pen, width),
        _findings(report, pen, width),
        _doubts(shown, pen, width),
        shown.matrix.section(pen, width),
        overall_figures.lines(report, pen, width),
        _performance(report, pen, width),
    )
    yield from map(line, headline(outcome, report, pen, width))
    for section in sections:
        gap = "\n"
        for text in section:
            yield gap + line(text)
            gap = ""


def _walk(report: Report) -> Shown:
    shown = Shown(report)
    for case in report.cases:
        shown.add(case)
    return shown


def headline(outcome: Outcome, report: Report, pen: Pen, width: int) -> Iterator[str]:
    """Yield the verdict with what happened, and below it what does not fit beside it."""
    verdict = wording.name_verdict(outcome)
    word = f" {verdict} " if pen.colour else verdict
    ink = _VERDICT_INKS[report.verdict] if verdict == report.verdict.upper() else Ink.WARN
    said = wording.headline(report, outcome.unknown)
    facts = [] if report.score is None else [f"score {wording.score(report.score)}"]
    facts += [] if outcome.report is None else [wording.duration(report.duration_ms)]
    first = f"{pen(word, ink, Ink.STRONG, Ink.BADGE)}  "
    if len(word) + len(said) + len(" · ".join(facts)) + 5 <= width:
        yield f"{first}{pen(said, Ink.STRONG)}{pen(' · ' + ' · '.join(facts), Ink.QUIET)}"
        return
    gap = " " * (len(word) + 2)
    for text in wrap(said, width - len(gap), 3):
        yield f"{first}{pen(text, Ink.STRONG)}"
        first = gap
    yield f"{gap}{pen(' · '.join(facts), Ink.QUIET)}"


def _findings(report: Report, pen: Pen, width: int) -> Iterator[str]:
    """Yield them, but for errors of evaluators: those are among the problems, with more words."""
    shown = [found for found in report.findings if found.rule != EVALUATOR_ERROR]
    for severity, (sign, ink) in _SEVERITIES.items():
        for finding in shown:
            if finding.severity is severity:
                first, *rest = wrap(plain(str(finding)), width - 2, 6)
                yield f"{pen(sign, ink)} {first}"
                yield from (f"  {text}" for text in rest)
                if address := project_links.find_help(finding.rule):
                    yield f"  {pen(f'see {address}', Ink.QUIET)}"


def _doubts(shown: Shown, pen: Pen, width: int) -> Iterator[str]:
    """Yield what was put right or ignored in traces that could be read, also in passed cases."""
    for sentence in shown.doubts:
        first, *rest = wrap(sentence, width - 2, 3)
        yield f"{pen('!', Ink.WARN)} {first}"
        yield from (f"  {text}" for text in rest)
    if shown.more_doubts:
        yield f"  and {shown.more_doubts:,} more, under 'conversion_warnings' of -o json"


def _performance(report: Report, pen: Pen, width: int) -> Iterator[str]:
    facts = [*wording.performance(report)]
    if report.isolation:
        facts.append(("isolation", report.isolation))
    if report.judge:
        told = {key: value for key, value in report.judge.items() if key != "hosts"}
        words = [f"{key} {value}" for key, value in told.items()]
        words += [f"asked {host}" for host in report.judge.get("hosts", ())]
        facts.append(("judge", ", ".join(words)))
    for subject, sentence in facts:
        first, *rest = wrap(plain(sentence), width - 11, 3)
        yield f"{pen(f'{subject:<10}', Ink.QUIET)} {first}"
        yield from (f"{'':<10} {text}" for text in rest)


class _Reason(NamedTuple):
    """An evaluator and the reason that it gave."""

    status: Status
    evaluator: str
    sentence: str


class Problems:
    """The reasons of all cases, each with the cases it concerns."""

    def __init__(self) -> None:
        self._concerned: dict[_Reason, list[str]] = {}
        self._counts: Counter[_Reason] = Counter()
        self._others = 0
        self._cases = 0

    def add(self, case: CaseReport) -> None:
        """Add the reasons of a case."""
        self._cases += 1
        for reason in _reasons(case):
            if reason not in self._counts and len(self._counts) >= _REASONS:
                self._others += 1
                continue
            self._counts[reason] += 1
            names = self._concerned.setdefault(reason, [])
            if len(names) < _NAMED:
                names.append(case.case_id)

    def section(self, pen: Pen, columns: int) -> Iterator[str]:
        """Yield errors before results that were not evaluated."""
        ranked = sorted(self._counts, key=lambda reason: reason.status is not Status.ERROR)
        for reason in ranked:
            named = _cases(self._concerned[reason], self._counts[reason])
            yield from _lines(reason, "" if self._cases == 1 else named, pen, columns)
        if self._others:
            said = f"{wording.plural(self._others, 'result')} more with other reasons"
            yield pen(said, Ink.QUIET)


def _reasons(case: CaseReport) -> Iterator[_Reason]:
    """Yield the reasons; that evidence is missing, the findings tell."""
    if case.error:
        yield _Reason(Status.ERROR, "no evaluator could run", case.error[:READ])
    for result in case.results:
        if result.status is Status.ERROR:
            yield _Reason(result.status, result.name, result.error[:READ])
        elif result.status is Status.NOT_EVALUATED and not result.gap:
            why = result.misses[0] if result.misses else "nothing to evaluate"
            told = "; ".join((*wording.list_missed_gates(result), why[:READ]))
            yield _Reason(result.status, result.name, told)


def _cases(names: list[str], count: int) -> str:
    listed = ", ".join(plain(name, 60) for name in names)
    more = count - len(names)
    return f"in {listed}" + (f" and {more:,} more" if more else "")


def _shorten(reason: _Reason) -> str:
    """Return what it says. Of a crash that is what was raised, and the lines that led to it."""
    if reason.status is not Status.ERROR or not is_crash(reason.sentence):
        return reason.sentence
    raised = shorten_error(reason.sentence)
    lines = [text for text in reason.sentence.splitlines() if text.strip(" ^~")]
    return "\n".join([raised, *lines[-_BEFORE:-1]]) if len(lines) > 1 else reason.sentence


def _lines(reason: _Reason, named: str, pen: Pen, columns: int) -> Iterator[str]:
    what = "error" if reason.status is Status.ERROR else "not evaluated"
    sign = pen(wording.SIGNS[reason.status], _INKS[reason.status])
    name = clip(plain(reason.evaluator), columns - 20)
    yield f"{sign} {pen(name, Ink.STRONG)}  {pen(what, _INKS[reason.status])}"
    yield from (f"  {text}" for text in block(_shorten(reason), columns - 2, _LINES))
    if named:
        yield pen(f"  {clip(named, columns - 2)}", Ink.QUIET)
