"""`table`: what people read in a terminal; verdict first, then what went wrong, then the rest."""

from collections.abc import Iterator

from agentevals.compare import comparison
from agentevals.model import project
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
from agentevals.report import changes, together
from agentevals.report.outputs.table.failures import Failures
from agentevals.report.outputs.table.matrix import Matrix
from agentevals.report.outputs.table.problems import Problems
from agentevals.text import wording
from agentevals.text.terminal import WIDTH, Ink, Pen, line, plain, wrap

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


def render(review: Review, *, colour: bool = False, width: int = WIDTH) -> Iterator[str]:
    """Each run with the comparison below it."""
    for outcome in review.sections:
        yield from render_run(outcome, colour=colour, width=width)
        yield from changes.compare(outcome, colour=colour, columns=width)


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
        together.lines(report, pen, width),
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
                if address := project.find_help(finding.rule):
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
