"""What all cases together say: a line for each figure, and a small table for each matrix."""

from collections.abc import Iterator
from itertools import chain

from agentevals.model.results import Report
from agentevals.report import together
from agentevals.report.together import Matrix
from agentevals.text.terminal import Ink, Pen, clip, pad, plain, width

_NAME = 60  # columns a name may take
_CLASS = 16


def section(report: Report, pen: Pen, columns: int) -> Iterator[str]:
    """Nothing where it is only the mean, which stands below the cases."""
    figures = [(clip(plain(name), _NAME), said) for name, said in together.figures(report)]
    matrices = list(together.matrices(report))
    if figures or matrices:
        yield pen("all cases", Ink.QUIET)
    widest = max((width(name) for name, _ in figures), default=0)
    yield from (clip(f"  {pad(name, widest)}  {plain(said)}", columns) for name, said in figures)
    for matrix in matrices:
        yield from (clip(text, columns) for text in _matrix(matrix))


def _matrix(matrix: Matrix) -> Iterator[str]:
    names = [clip(plain(name), _CLASS) for name in matrix.classes]
    numbers = [f"{number:,}" for number in chain.from_iterable(matrix.rows)]
    cell = max(map(width, (*names, *numbers)))
    yield f"  {plain(matrix.name)}: predicted in rows, expected in columns"
    yield f"    {pad('', cell)}  {'  '.join(pad(name, cell) for name in names)}"
    for name, row in zip(names, matrix.rows, strict=True):
        cells = "  ".join(pad(f"{number:,}", cell) for number in row)
        yield f"    {pad(name, cell)}  {cells}"
