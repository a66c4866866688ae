"""What could not be graded, and why: each reason once, with the cases it concerns."""

from collections.abc import Iterator
from typing import NamedTuple

from agentevals.model.cases import Status
from agentevals.model.results import CaseReport, Report
from agentevals.text import wording
from agentevals.text.terminal import READ, Ink, Pen, block, clip, plain

_REASONS = 20  # different ones that are shown
_NAMED = 3  # cases that are named before the rest is counted
_LINES = 8  # of one reason

_INKS = {Status.ERROR: Ink.BAD, Status.NOT_EVALUATED: Ink.WARN}


class _Reason(NamedTuple):
    """Who said what."""

    status: Status
    evaluator: str
    sentence: str


def section(report: Report, pen: Pen, columns: int) -> Iterator[str]:
    """Errors before what was not evaluated."""
    concerned: dict[_Reason, list[str]] = {}
    counts: dict[_Reason, int] = {}
    others = 0
    for case in report.cases:
        for reason in _reasons(case):
            if reason not in counts and len(counts) >= _REASONS:
                others += 1
                continue
            counts[reason] = counts.get(reason, 0) + 1
            names = concerned.setdefault(reason, [])
            if len(names) < _NAMED:
                names.append(case.case_id)
    alone = report.counts.get("cases") == 1
    for reason in sorted(counts, key=lambda reason: reason.status is not Status.ERROR):
        named = "" if alone else _cases(concerned[reason], counts[reason])
        yield from _lines(reason, named, pen, columns)
    if others:
        yield pen(f"{wording.plural(others, 'result')} more with other reasons", Ink.QUIET)


def _reasons(case: CaseReport) -> Iterator[_Reason]:
    if case.error:
        yield _Reason(Status.ERROR, "no evaluator could run", case.error[:READ])
    for result in case.results:
        if result.status is Status.ERROR:
            yield _Reason(result.status, result.name, result.error[:READ])
        elif result.status is Status.NOT_EVALUATED:
            why = result.misses[0] if result.misses else "nothing to evaluate"
            told = "; ".join((*wording.list_missed_gates(result), why[:READ]))
            yield _Reason(result.status, result.name, told)


def _cases(names: list[str], count: int) -> str:
    listed = ", ".join(plain(name, 60) for name in names)
    more = count - len(names)
    return f"in {listed}" + (f" and {more:,} more" if more else "")


def _lines(reason: _Reason, named: str, pen: Pen, columns: int) -> Iterator[str]:
    what = "error" if reason.status is Status.ERROR else "not evaluated"
    sign = pen(wording.SIGNS[reason.status], _INKS[reason.status])
    name = clip(plain(reason.evaluator), columns - 20)
    yield f"{sign} {pen(name, Ink.STRONG)}  {pen(what, _INKS[reason.status])}"
    yield from (f"  {text}" for text in block(reason.sentence, columns - 2, _LINES))
    if named:
        yield pen(f"  {clip(named, columns - 2)}", Ink.QUIET)
