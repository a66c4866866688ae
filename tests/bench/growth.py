"""The growth of a run with its traces: measured in interleaved rounds, fitted and drawn."""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.measure import Measured

COUNTS = (10, 100, 1_000, 10_000, 100_000)
EXPONENT = 1.1  # of the time: twice the traces take hardly more than twice as long
_ROUNDS = 3
_LARGE = 50_000  # traces, of which one run takes long enough to be exact
_WIDTH, _HEIGHT, _EDGE = 480, 280, 40


class Point(NamedTuple):
    """The least CPU and memory that so many traces took."""

    traces: int
    cpu: float
    megabytes: float


class Growth(NamedTuple):
    """What each further trace costs, and the exponent by which the time grows."""

    milliseconds: float
    kilobytes: float
    exponent: float


def measure_all(
    folder: Path, write: Callable[[Path, int], None], run: Callable[[Path], Measured]
) -> list[Point]:
    """Run every size in each round, so that a busy minute is one of all sizes."""
    found: dict[int, list[Measured]] = {count: [] for count in COUNTS}
    for number in range(_ROUNDS):
        for count in COUNTS:
            if number and count > _LARGE:
                continue
            write(folder, count)
            found[count].append(run(folder))
    return [
        Point(count, min(run.cpu for run in runs), min(run.megabytes for run in runs))
        for count, runs in found.items()
    ]


def fit(points: Sequence[Point]) -> Growth:
    """Return slopes and exponent. The time of a start, that of the fewest traces, is no growth."""
    start, end = points[0], points[-1]
    more = end.traces - start.traces
    grown = [
        (math.log(point.traces), math.log(point.cpu - start.cpu))
        for point in points
        if point.traces >= end.traces / 100 and point.cpu > start.cpu
    ]
    return Growth(
        milliseconds=(end.cpu - start.cpu) / more * 1000,
        kilobytes=(end.megabytes - start.megabytes) / more * 1000,
        exponent=_find_slope(grown),
    )


def _find_slope(places: Iterable[tuple[float, float]]) -> float:
    """Return the slope of the line through these places by least squares."""
    known = list(places)
    across, up = (sum(each) / len(known) for each in zip(*known, strict=True))
    spread = sum((x - across) ** 2 for x, _ in known)
    return sum((x - across) * (y - up) for x, y in known) / spread


def draw(points: Sequence[Point]) -> str:
    """Return an SVG of seconds of CPU over traces, both logarithmic."""
    low, high = math.log10(points[0].traces), math.log10(points[-1].traces)
    least = math.floor(math.log10(points[0].cpu))
    most = math.ceil(math.log10(points[-1].cpu))

    def place(traces: float, cpu: float) -> tuple[float, float]:
        x = (math.log10(traces) - low) / (high - low) * (_WIDTH - 2 * _EDGE) + _EDGE
        y = (math.log10(cpu) - least) / (most - least) * (_HEIGHT - 2 * _EDGE) + _EDGE
        return round(x, 1), round(_HEIGHT - y, 1)

    line = " ".join(f"{x},{y}" for x, y in (place(p.traces, p.cpu) for p in points))
    marks = [
        f'<text x="{x}" y="{y - 6}">{point.cpu:.1f} s</text>'
        f'<text x="{x}" y="{_HEIGHT - 12}">{point.traces:,}</text>'
        for point in points
        for x, y in [place(point.traces, point.cpu)]
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="10" text-anchor="middle">\n'
        "<title>Seconds of CPU by the number of traces</title>\n"
        f'<polyline points="{line}" fill="none" stroke="#0969da" stroke-width="2"/>\n'
        + "\n".join(marks)
        + "\n</svg>\n"
    )
