"""`make scale`: measures what a trace costs, and writes the tables of docs/scale.md from it."""

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench import suites
from tests.bench.measure import Measured, measure
from tests.cluster import machines
from tests.cluster.machines import Machines
from tests.scale.model import Costs, Line, write_tables
from tests.support import DOCS

PAGE = DOCS / "scale.md"
COUNTS = (500, 2000, 6000)
ROUNDS = 3
_FILES = 24
_COMMAND = Path(sys.executable).with_name("agentevals")
_WORDS = ("-e", "set.json", "-c", "config.yaml", "-o", "summary")
_TICKS = os.sysconf("SC_CLK_TCK")


class Once(NamedTuple):
    """One round: a machine alone, and the command and the workers of a cluster."""

    alone: Measured
    command: Measured
    workers: float  # seconds of CPU


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for count in COUNTS:
            _write(folder / str(count), count)
        with machines.start(3, folder) as cluster:
            rounds = [
                (count, _measure(folder / str(count), cluster))
                for _ in range(ROUNDS)
                for count in COUNTS
            ]
        size = (folder / str(COUNTS[-1]) / "t.jsonl").stat().st_size / COUNTS[-1]
    costs = Costs(
        size=size,
        alone=_fit(rounds, lambda once: once.alone.cpu),
        memory=_fit(rounds, lambda once: once.alone.megabytes),
        command=_fit(rounds, lambda once: once.command.cpu),
        command_memory=_fit(rounds, lambda once: once.command.megabytes),
        workers=_fit(rounds, lambda once: once.workers),
    )
    text = write_tables(costs)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        re.sub(r"(?s)(<!-- measured -->\n).*(<!-- /measured -->)", rf"\g<1>{text}\g<2>", page),
        encoding="utf-8",
    )
    print(text)
    return 0


def _write(folder: Path, count: int) -> None:
    """Write a suite, once as one file and once as many."""
    folder.mkdir()
    suites.write(folder, count)
    lines = (folder / "t.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "traces").mkdir()
    for number, start in enumerate(range(0, count, count // _FILES)):
        path = folder / "traces" / f"{number:03}.jsonl"
        path.write_bytes(b"".join(lines[start : start + count // _FILES]))


def _measure(folder: Path, cluster: Machines) -> Once:
    alone = measure([_COMMAND, "run", "t.jsonl", *_WORDS], cwd=folder, repeat=1)
    before = sum(_read_cpu(cluster))
    on = ("--engine", "dask", "--scheduler", cluster.scheduler)
    command = measure([_COMMAND, "run", "traces", *_WORDS, *on], cwd=folder, repeat=1)
    return Once(alone, command, sum(_read_cpu(cluster)) - before)


def _read_cpu(cluster: Machines) -> Iterator[float]:
    for worker in cluster.workers.values():
        fields = Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()
        yield (int(fields[11]) + int(fields[12])) / _TICKS


def _fit(rounds: Sequence[tuple[int, Once]], read: Callable[[Once], float]) -> Line:
    """Return the straight line through the least value of each count."""
    least = {count: min(read(once) for n, once in rounds if n == count) for count in COUNTS}
    mean = sum(COUNTS) / len(COUNTS)
    middle = sum(least.values()) / len(COUNTS)
    over = sum((count - mean) * (value - middle) for count, value in least.items())
    slope = max(over / sum((count - mean) ** 2 for count in COUNTS), 0.0)
    return Line(max(middle - slope * mean, 0.0), slope)


if __name__ == "__main__":
    sys.exit(main())
