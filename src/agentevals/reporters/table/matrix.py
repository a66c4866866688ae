"""All cases against all evaluators: a sign and a score in each cell."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from agentevals.model import Status
from agentevals.presentation import wording
from agentevals.presentation.terminal import Ink, Pen, clip, pad, plain, width
from agentevals.report import CaseReport, Report, Result, Verdict

_PASSING = 20  # shown one by one; more of them are folded into a count
_FAILING = 50
_NAME = 40  # columns a case's name may take
_CELL = 7  # columns of a sign and a score
_GAP = 2
_MOST_EVALUATORS = 60  # of which own columns are kept

_VERDICTS = {
    Verdict.PASS: ("✓", Ink.GOOD),
    Verdict.BORDERLINE: ("~", Ink.WARN),
    Verdict.FAIL: ("✗", Ink.BAD),
}
_INKS = {
    Status.PASSED: Ink.GOOD,
    Status.FAILED: Ink.BAD,
    Status.ERROR: Ink.BAD,
    Status.NOT_EVALUATED: Ink.WARN,
}


class _Totals(NamedTuple):
    """What one walk over the cases says about the columns."""

    evaluators: tuple[str, ...]
    means: dict[str, float]
    name_width: int


def section(report: Report, pen: Pen, columns: int) -> Iterator[str]:
    """A single case is a list of its evaluators, several are a table."""
    if report.counts.get("cases") == 1:
        yield from _single(report.cases[0], pen, columns)
    elif report.counts.get("cases"):
        totals = _totals(report)
        room = columns - totals.name_width - 2
        for number, block in enumerate(_blocks(totals.evaluators, room)):
            yield from [""] if number else []
            yield from _block(report, totals, block, pen, columns)


def _single(case: CaseReport, pen: Pen, columns: int) -> Iterator[str]:
    sign, ink = _VERDICTS[case.verdict]
    name = pen(clip(plain(case.case_id), columns - 2), Ink.STRONG)
    yield f"{pen(sign, ink)} {name}"
    longest = max((width(plain(result.name)) for result in case.results), default=0)
    for result in case.results:
        score = _cell(result, pen)
        yield f"    {pad(plain(result.name), min(longest, columns - 20))}  {score}"


def _totals(report: Report) -> _Totals:
    names = dict.fromkeys(report.evaluators[:_MOST_EVALUATORS])
    sums: dict[str, list[float]] = {}
    name_width = 4
    for case in report.cases:
        name_width = max(name_width, min(width(plain(case.case_id)), _NAME))
        for result in case.results:
            if len(names) < _MOST_EVALUATORS:
                names.setdefault(result.name)
            if result.score is not None and result.name in names:
                total = sums.setdefault(result.name, [0.0, 0])
                total[0] += result.score
                total[1] += 1
    return _Totals(tuple(names), {name: s / n for name, (s, n) in sums.items()}, name_width)


def _blocks(evaluators: tuple[str, ...], room: int) -> Iterator[tuple[str, ...]]:
    """As many evaluators next to each other as fit, the others in tables of their own."""
    block: list[str] = []
    for name in evaluators:
        needed = len(block) * (_CELL + _GAP) + _GAP + max(_CELL, width(plain(name)))
        if block and needed > room:
            yield tuple(block)
            block = []
        block.append(name)
    yield tuple(block)


def _block(
    report: Report, totals: _Totals, evaluators: tuple[str, ...], pen: Pen, columns: int
) -> Iterator[str]:
    names = [plain(name) for name in evaluators]
    room = columns - totals.name_width - 2
    side_by_side = sum(max(width(name), _CELL) + _GAP for name in names) <= room
    widths = [max(width(name), _CELL) if side_by_side else _CELL for name in names]
    left = " " * (totals.name_width + 2)
    if side_by_side:
        heads = [pad(name, cells) for name, cells in zip(names, widths, strict=True)]
        yield pen(left + "".join(" " * _GAP + head for head in heads), Ink.QUIET)
    else:
        yield from (pen(clip(left + step, columns), Ink.QUIET) for step in _staircase(names))
    yield from _rows(report, totals, evaluators, widths, pen)
    means = "".join(
        " " * _GAP + pad(f"  {wording.score(totals.means.get(name))}", cells)
        for name, cells in zip(evaluators, widths, strict=True)
    )
    yield pen(f"  {pad('mean', totals.name_width)}{means}", Ink.QUIET)


def _staircase(names: list[str]) -> Iterator[str]:
    """Long names over narrow columns: one line each, with rails down to the column."""
    for steps, name in enumerate(names):
        yield (" " * _GAP + pad("│", _CELL)) * steps + " " * _GAP + name


def _rows(
    report: Report, totals: _Totals, evaluators: tuple[str, ...], widths: list[int], pen: Pen
) -> Iterator[str]:
    passing = report.counts.get("cases_pass", 0)
    folded = passing if passing > _PASSING else 0
    shown = (case for case in report.cases if not folded or case.verdict is not Verdict.PASS)
    for case in islice(shown, _PASSING + _FAILING):
        sign, ink = _VERDICTS[case.verdict]
        results = {result.name: result for result in case.results}
        cells = "".join(
            " " * _GAP + _cell(results.get(name), pen, columns)
            for name, columns in zip(evaluators, widths, strict=True)
        )
        yield f"{pen(sign, ink)} {pad(plain(case.case_id), totals.name_width)}{cells}"
    if left := sum(1 for _ in shown):
        yield pen(f"  and {left:,} more that did not pass", Ink.QUIET)
    if folded:
        yield f"{pen('✓', Ink.GOOD)} {wording.plural(folded, 'case')} passed"


def _cell(result: Result | None, pen: Pen, columns: int = _CELL) -> str:
    if result is None:
        return " " * columns
    text = "error" if result.status is Status.ERROR else wording.score(result.score)
    sign = wording.SIGNS[result.status]
    ink = _INKS[result.status]
    if result.status is Status.NOT_EVALUATED:
        sign, text = " ", sign
    return f"{pen(sign, ink)} {pen(pad(text, columns - 2), *_louder(result, ink))}"


def _louder(result: Result, ink: Ink) -> tuple[Ink, ...]:
    """Only what did not pass is written in colour: the eye has to find it."""
    return () if result.status is Status.PASSED else (ink,)
