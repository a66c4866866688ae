"""All cases against all evaluators: a sign and a score in each cell."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentevals.model.cases import Status
from agentevals.model.results import CaseReport, Evaluation, Report, Result, Verdict
from agentevals.run.attempts import describe_attempts
from agentevals.text import wording
from agentevals.text.terminal import Ink, Pen, clip, pad, plain, width

_PASSING = 20  # shown one by one; more of them are folded into a count
_FAILING = 50
_NAME = 40  # columns a case's name may take
_CELL = 7  # columns of a sign and a score
_GAP = 2
_MOST_EVALUATORS = 60  # of which own columns are kept
_OTHERS = "others"  # what the column of all evaluators that have none is called

_VERDICTS = {
    Verdict.PASS: ("✓", Ink.GOOD),
    Verdict.BORDERLINE: ("~", Ink.WARN),
    Verdict.FAIL: ("✗", Ink.BAD),
    Verdict.ERROR: ("!", Ink.BAD),
}
_UNDECIDED = (wording.NOTHING, Ink.WARN)
_INKS = {
    Status.PASSED: Ink.GOOD,
    Status.FAILED: Ink.BAD,
    Status.ERROR: Ink.BAD,
    Status.NOT_EVALUATED: Ink.WARN,
}


Column = str | None  # an evaluator's name; None for all others


class _Totals(NamedTuple):
    """The totals of the columns, from one walk over the cases."""

    columns: tuple[Column, ...]
    means: dict[Column, float]
    name_width: int

    @property
    def room(self) -> int:
        """Columns of the terminal that stand before those of the evaluators."""
        return self.name_width + 2


class Matrix:
    """The rows and columns of a run, collected case by case."""

    def __init__(self, run: Evaluation | Report) -> None:
        passing = run.counts.get("cases_pass", 0)
        self.folded = passing if passing > _PASSING else 0
        self.rows: list[CaseReport] = []
        self.more = 0
        self._cases = 0
        self._judged: Counter[Column] = Counter(dict.fromkeys(run.evaluators, 0))
        self._scores: dict[Column, list[float]] = {}
        self._name_width = 4

    def add(self, case: CaseReport) -> None:
        """Add a case to the columns; keep it as a row, or count it."""
        self._cases += 1
        self._name_width = max(self._name_width, width(_name(case)))
        for result in case.results:
            self._judged[result.name] += 1
            if (score := wording.read_score(result)) is not None:
                total = self._scores.setdefault(result.name, [0.0, 0])
                total[0] += score
                total[1] += 1
        if self.folded and _has_passed(case):
            return
        if len(self.rows) < _PASSING + _FAILING:
            self.rows.append(case)
        else:
            self.more += 1

    def section(self, pen: Pen, columns: int) -> Iterator[str]:
        """Yield a list of evaluators for a single case, and a table for several."""
        if self._cases == 1:
            yield from _single(self.rows[0], pen, columns)
        elif self._cases:
            totals = self._add_up(columns)
            for number, block in enumerate(_blocks(totals.columns, columns - totals.room)):
                yield from [""] if number else []
                yield from _block(self, totals, block, pen, columns)

    def _add_up(self, columns: int) -> _Totals:
        means = {name: total / number for name, (total, number) in self._scores.items()}
        chosen = _choose_columns(self._judged, columns - self._name_width - 2)
        return _Totals(chosen, means, self._name_width)


def _single(case: CaseReport, pen: Pen, columns: int) -> Iterator[str]:
    sign, ink = _verdict(case)
    name = pen(clip(_name(case), columns - 2), Ink.STRONG)
    yield f"{pen(sign, ink)} {name}"
    longest = max((width(plain(result.name)) for result in case.results), default=0)
    for result in case.results:
        score = _cell(result, pen)
        yield f"    {pad(plain(result.name), min(longest, columns - 20))}  {score}"


def _verdict(case: CaseReport) -> tuple[str, Ink]:
    return _UNDECIDED if case.is_undecided else _VERDICTS[case.verdict]


def _name(case: CaseReport) -> str:
    """Return the name of a case, with how many of its attempts passed if there are several."""
    name, told = clip(plain(case.case_id), _NAME), describe_attempts(case)
    return f"{name} ({told})" if told else name


def _has_passed(case: CaseReport) -> bool:
    return case.verdict is Verdict.PASS and not case.is_undecided


def _choose_columns(judged: Counter[Column], room: int) -> tuple[Column, ...]:
    """Evaluators of a single case have columns only where there is room for all."""
    every = tuple(judged)
    if len(list(_blocks(every, room))) == 1:
        return every
    shared = [name for name in every if judged[name] != 1][:_MOST_EVALUATORS]
    return (*shared, None) if len(shared) < len(every) else tuple(shared)


def _blocks(evaluators: Sequence[Column], room: int) -> Iterator[tuple[Column, ...]]:
    """As many evaluators next to each other as fit, the others in tables of their own."""
    block: list[Column] = []
    for name in evaluators:
        needed = len(block) * (_CELL + _GAP) + _GAP + max(_CELL, width(_title(name)))
        if block and needed > room:
            yield tuple(block)
            block = []
        block.append(name)
    yield tuple(block)


def _title(column: Column) -> str:
    return _OTHERS if column is None else plain(column)


def _block(
    matrix: Matrix, totals: _Totals, evaluators: tuple[Column, ...], pen: Pen, columns: int
) -> Iterator[str]:
    names = [_title(name) for name in evaluators]
    room = columns - totals.room
    side_by_side = sum(max(width(name), _CELL) + _GAP for name in names) <= room
    widths = [max(width(name), _CELL) if side_by_side else _CELL for name in names]
    left = " " * totals.room
    if side_by_side:
        heads = [pad(name, cells) for name, cells in zip(names, widths, strict=True)]
        yield pen(left + "".join(" " * _GAP + head for head in heads), Ink.QUIET)
    else:
        yield from (pen(clip(left + step, columns), Ink.QUIET) for step in _staircase(names))
    yield from _rows(matrix, totals, evaluators, widths, pen)
    means = "".join(
        " " * _GAP + pad(f"  {wording.score(totals.means.get(name))}", cells)
        for name, cells in zip(evaluators, widths, strict=True)
        if name is not None
    )
    yield pen(f"  {pad('mean', totals.name_width)}{means}", Ink.QUIET)


def _staircase(names: list[str]) -> Iterator[str]:
    """Long names over narrow columns: one line each, with rails down to the column."""
    for steps, name in enumerate(names):
        yield (" " * _GAP + pad("│", _CELL)) * steps + " " * _GAP + name


def _rows(
    matrix: Matrix, totals: _Totals, evaluators: tuple[Column, ...], widths: list[int], pen: Pen
) -> Iterator[str]:
    for case in matrix.rows:
        sign, ink = _verdict(case)
        results: dict[Column, Result] = {result.name: result for result in case.results}
        others = [result for name, result in results.items() if name not in totals.columns]
        cells = "".join(
            " " * _GAP
            + (_cell(results.get(name), pen, cells) if name else _share(others, pen, cells))
            for name, cells in zip(evaluators, widths, strict=True)
        )
        yield f"{pen(sign, ink)} {pad(_name(case), totals.name_width)}{cells}"
    if matrix.more:
        yield pen(f"  and {matrix.more:,} more that did not pass", Ink.QUIET)
    if matrix.folded:
        yield f"{pen('✓', Ink.GOOD)} {wording.plural(matrix.folded, 'case')} passed"


def _cell(result: Result | None, pen: Pen, columns: int = _CELL) -> str:
    if result is None:
        return " " * columns
    score = _write_score(wording.read_score(result), columns - 2)
    text = "error" if result.status is Status.ERROR else score
    sign = wording.SIGNS[result.case_status]
    ink = _INKS[result.case_status]
    if result.status is Status.NOT_EVALUATED:
        sign, text = " ", sign
    return f"{pen(sign, ink)} {pen(pad(text, columns - 2), *_louder(result, ink))}"


def _write_score(score: float | None, columns: int) -> str:
    """Return a score with as many digits as there is room for; that of a metric may be large."""
    if score is None:
        return wording.score(score)
    written = (wording.score(score), f"{score:.3g}", f"{score:.0f}")
    return next((text for text in written if width(text) <= columns), f"{score:.0e}")


def _share(results: Sequence[Result], pen: Pen, columns: int) -> str:
    """Write how many of several evaluators passed."""
    if not results:
        return " " * columns
    passed = sum(result.case_status is Status.PASSED for result in results)
    text = pad(f"{passed}/{len(results)}", columns - 2)
    if passed == len(results):
        return f"{pen(wording.SIGNS[Status.PASSED], Ink.GOOD)} {text}"
    return f"{pen(wording.SIGNS[Status.FAILED], Ink.BAD)} {pen(text, Ink.BAD)}"


def _louder(result: Result, ink: Ink) -> tuple[Ink, ...]:
    """Only what did not pass is written in colour: the eye has to find it."""
    return () if result.case_status is Status.PASSED else (ink,)
