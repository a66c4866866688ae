"""`markdown`: for a pull-request comment or a job summary, worst first, within GitHub's limit."""

from collections.abc import Iterator
from heapq import nsmallest
from itertools import islice

from agentevals.model.cases import Status
from agentevals.model.results import CaseReport, Report, Result, Severity, Verdict
from agentevals.report import together
from agentevals.text import calls, markdown, wording
from agentevals.text.calls import Comparison

LIMIT = 65_536  # characters; GitHub refuses a longer comment
ICONS = {Verdict.FAIL: "❌", Verdict.BORDERLINE: "🟡", Verdict.PASS: "✅"}
_UNSCORED = "⚪"

_RESERVED = 4_000  # characters kept for what stands below the cases
_ROWS = 500  # failing cases looked at; more never fit
_PASSING = 200
_DIFFS = 10  # cases whose calls are shown
_LINES = 40  # of calls per turn
_SEVERITIES = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTE: "ℹ️"}  # noqa: RUF001
_HEAD = "| | case | score | what was missed |\n|---|---|--:|---|\n"


def render(report: Report) -> Iterator[str]:
    """The worst cases come first, so that a cut costs only passing ones."""
    page = _Page(LIMIT - _RESERVED)
    page.add(_headline(report))
    page.add_all(_findings(report), "problems")
    worst = nsmallest(_ROWS, _failing(report), key=_badness)
    total = sum(1 for _ in _failing(report))
    if worst:
        page.add(_HEAD)
        page.add_all((_row(case) for case in worst), "cases that did not pass", total=total)
        page.add_all((_diff(case) for case in worst[:_DIFFS] if _mismatches(case)), "differences")
    if not page.add(_passing(report)):
        page.add(f"{_passed(report)}\n")
    page.add_all((f"\n{table}" for table in together.tables(report)), "figures of all cases")
    yield from page.pieces
    yield _footer(report)


class _Page:
    """Pieces of text up to a size; what does not fit is counted and said."""

    def __init__(self, size: int) -> None:
        self.pieces: list[str] = []
        self._left = size

    def add(self, piece: str) -> bool:
        # GitHub counts UTF-16 units, of which an emoji is two
        size = len(piece.encode("utf-16-le", "replace")) // 2
        if size > self._left:
            return False
        self._left -= size
        self.pieces.append(piece)
        return True

    def add_all(self, pieces: Iterator[str], noun: str, *, total: int = 0) -> None:
        added = 0
        for piece in pieces:
            if not self.add(piece):
                total = max(total, added + 1 + sum(1 for _ in pieces))
                break
            added += 1
        if total > added:
            self.pieces.append(f"\n*{total - added:,} more {noun} not shown.*\n")
        if added:
            self.add("\n")


def _headline(report: Report) -> str:
    facts = [f"**Score {wording.score(report.score)}**"] if report.score is not None else []
    facts += [wording.plural(len(report.evaluators), "evaluator")] if report.evaluators else []
    facts.append(wording.duration(report.duration_ms))
    title = f"{markdown.text(report.title)}: {wording.headline(report)}"
    return f"## {ICONS[report.verdict]} {title}\n\n{' · '.join(facts)}\n\n"


def _findings(report: Report) -> Iterator[str]:
    for severity, icon in _SEVERITIES.items():
        for finding in report.findings:
            if finding.severity is severity:
                yield f"- {icon} {markdown.text(str(finding), 1_000)}\n"


def _failing(report: Report) -> Iterator[CaseReport]:
    return (case for case in report.cases if not _has_passed(case))


def _has_passed(case: CaseReport) -> bool:
    return case.verdict is Verdict.PASS and not case.is_unscored


def _badness(case: CaseReport) -> tuple[int, float]:
    return wording.WORST_FIRST.index(case.verdict), case.score or 0.0


def _row(case: CaseReport) -> str:
    missed = [markdown.text(case.error)] if case.error else []
    missed += [_missed(result) for result in case.results if result.outcome is not Status.PASSED]
    score = "" if case.score is None else wording.score(case.score)
    icon = _UNSCORED if case.is_unscored else ICONS[case.verdict]
    cells = (icon, markdown.text(case.case_id, 100), score, "<br>".join(missed[:20]))
    return f"| {' | '.join(cells)} |\n"


def _missed(result: Result) -> str:
    name = f"**{markdown.text(result.name, 100)}**"
    if result.status is Status.ERROR:
        return f"{name} error: {markdown.text(result.error)}"
    gates = wording.list_missed_gates(result)
    if result.status is Status.NOT_EVALUATED:
        return f"{name} not evaluated: {markdown.text('; '.join((*gates, *result.misses[:1])))}"
    why = markdown.text("; ".join((*gates, *result.misses[:3])) or result.reasoning)
    return f"{name} {wording.write_judgement(result)}{f': {why}' if why else ''}"


def _mismatches(case: CaseReport) -> list[tuple[int, Comparison]]:
    failed = (result for result in case.results if result.status is Status.FAILED)
    return next(filter(None, map(calls.mismatches, failed)), [])


def _diff(case: CaseReport) -> str:
    """Expected calls as removed lines, actual ones as added lines."""
    lines: list[str] = []
    for turn, comparison in _mismatches(case)[:5]:
        lines += [f"# turn {turn}"] if case.turns > 1 else []
        lines += islice(calls.write_diff(comparison), _LINES)
    summary = f"Calls of {markdown.text(case.case_id, 100)}, expected and actual"
    return markdown.details(summary, markdown.fence(lines, "diff"))


def _passing(report: Report) -> str:
    count = report.counts.get("cases_pass", 0)
    if not count:
        return ""
    passing = filter(_has_passed, report.cases)
    rows = "".join(
        f"| {markdown.text(case.case_id, 100)} | {wording.score(case.score)} |\n"
        for case in islice(passing, _PASSING)
    )
    more = f"\n*{count - _PASSING:,} more passed cases not shown.*\n" if count > _PASSING else ""
    return markdown.details(_passed(report), f"| case | score |\n|---|--:|\n{rows}{more}")


def _passed(report: Report) -> str:
    count = wording.plural(report.counts.get("cases_pass", 0), "case")
    return f"{ICONS[Verdict.PASS]} {count} passed"


def _footer(report: Report) -> str:
    facts = [
        f"{subject}: {markdown.text(text, 200)}" for subject, text in wording.performance(report)
    ]
    return f"\n<sub>{'<br>'.join(facts)[: _RESERVED - 200]}</sub>\n" if facts else ""
