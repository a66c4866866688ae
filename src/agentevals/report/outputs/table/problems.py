"""The cases that could not be graded: each reason once, with the cases it concerns."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from agentevals.model.cases import Status
from agentevals.model.results import CaseReport
from agentevals.text import wording
from agentevals.text.terminal import READ, Ink, Pen, block, clip, plain
from agentevals.text.tracebacks import is_crash, shorten_error

_REASONS = 20  # different ones that are shown
_NAMED = 3  # cases that are named before the rest is counted
_LINES = 8  # of one reason
_BEFORE = 6  # of a traceback, from its end

_INKS = {Status.ERROR: Ink.BAD, Status.NOT_EVALUATED: Ink.WARN}


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
