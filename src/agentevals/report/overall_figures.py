"""The figures of all cases together: by evaluator, and which class was taken for which."""

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple, cast

from agentevals.model.results import Report
from agentevals.text import markdown, wording
from agentevals.text.terminal import Ink, Pen, clip, pad, plain, width

_SCORE, _MEAN = "reduce_scores", "mean"
_CLASSES = 12  # of a matrix that people can read
_ROWS = 30  # figures in one table
_LARGEST = 1e15  # what nobody reads is no figure

_WIDEST_NAME = 60  # columns a name may take
_WIDEST_CLASS = 16


class Matrix(NamedTuple):
    """The number of times that a class (row) was predicted where another (column) was expected."""

    name: str
    classes: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]


def find_figures(report: Report) -> Iterator[tuple[str, str]]:
    """A name and a number for all that is more than the mean, which stands elsewhere."""
    for evaluator, said in report.overall.items():
        score, metric, error = said.get(_SCORE), said.get("metric", ""), said.get("error")
        if error and isinstance(error, str):
            yield evaluator, f"error: {error}"
        if _is_number(score) and metric != _MEAN:
            yield (f"{evaluator}, {metric}" if metric else evaluator), wording.exact_score(score)
        for name, value in said.items():
            if isinstance(value, dict) and _is_number(value.get("score")) and not _matrix(value):
                yield name, wording.exact_score(value["score"])


def find_matrices(report: Report) -> Iterator[Matrix]:
    """Yield the matrices that were asked for, as far as they can be read."""
    for said in report.overall.values():
        for name, value in said.items():
            found = _matrix(value) if isinstance(value, dict) else None
            if found:
                yield Matrix(name, *found)


def tables(report: Report) -> Iterator[str]:
    """Yield the Markdown: one table of figures, and one for each matrix."""
    if found := list(find_figures(report)):
        rows = [
            f"| {markdown.text(n, 200)} | {markdown.text(said)} |\n" for n, said in found[:_ROWS]
        ]
        left = len(found) - len(rows)
        more = f"\n*{wording.plural(left, 'more figure')} in the report.*\n" if left else ""
        yield f"| all cases | score |\n|---|--:|\n{''.join(rows)}{more}"
    for matrix in find_matrices(report):
        names = [markdown.text(name, 60) for name in matrix.classes]
        rows = [
            f"| {name} | {' | '.join(f'{number:,}' for number in row)} |\n"
            for name, row in zip(names, matrix.rows, strict=True)
        ]
        title = f"{markdown.text(matrix.name, 200)}: predicted in rows, expected in columns\n\n"
        yield f"{title}| | {' | '.join(names)} |\n|---|{'--:|' * len(names)}\n{''.join(rows)}"


def _matrix(value: dict[str, Any]) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]] | None:
    details = value.get("details")
    if not isinstance(details, dict) or details.get("metric") != "confusion_matrix":
        return None
    classes, rows = details.get("classes"), details.get("confusionMatrix")
    if not isinstance(classes, list) or not 0 < len(classes) <= _CLASSES:
        return None
    if not isinstance(rows, list) or len(rows) != len(classes):
        return None
    if not all(_is_row(row, len(classes)) for row in rows):
        return None
    return tuple(map(str, classes)), tuple(map(tuple, rows))


def _is_row(row: object, columns: int) -> bool:
    return isinstance(row, list) and len(row) == columns and all(map(_is_number, row))


def _is_number(value: object) -> bool:
    """One that can be written; a report may have been made by anybody."""
    known = isinstance(value, int | float) and not isinstance(value, bool)
    return known and -_LARGEST < cast("float", value) < _LARGEST


def lines(report: Report, pen: Pen, columns: int) -> Iterator[str]:
    """Nothing where it is only the mean, which stands below the cases."""
    figures = [(clip(plain(name), _WIDEST_NAME), said) for name, said in find_figures(report)]
    matrices = list(find_matrices(report))
    if figures or matrices:
        yield pen("all cases", Ink.QUIET)
    widest = max((width(name) for name, _ in figures), default=0)
    yield from (clip(f"  {pad(name, widest)}  {plain(said)}", columns) for name, said in figures)
    for matrix in matrices:
        yield from (clip(text, columns) for text in _draw_matrix(matrix))


def _draw_matrix(matrix: Matrix) -> Iterator[str]:
    names = [clip(plain(name), _WIDEST_CLASS) for name in matrix.classes]
    numbers = [f"{number:,}" for number in chain.from_iterable(matrix.rows)]
    cell = max(map(width, (*names, *numbers)))
    yield f"  {plain(matrix.name)}: predicted in rows, expected in columns"
    yield f"    {pad('', cell)}  {'  '.join(pad(name, cell) for name in names)}"
    for name, row in zip(names, matrix.rows, strict=True):
        cells = "  ".join(pad(f"{number:,}", cell) for number in row)
        yield f"    {pad(name, cell)}  {cells}"
