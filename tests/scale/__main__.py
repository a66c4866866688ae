"""`make scale`: measures what a trace costs, and writes the tables of docs/scale.md from it."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from agentevals.files.workers import count_cores
from tests.bench import suites
from tests.bench.measure import Measured, measure
from tests.cluster import machines
from tests.cluster.machines import Machines
from tests.scale.model import Costs, Line, write_tables
from tests.support import DOCS

PAGE = DOCS / "scale.md"
COUNTS = (10_000, 30_000, 90_000)  # so many that traces, cases and results lie on disk
_LARGE = (100_000, 400_000)  # so many that the index of them takes more memory than a start
ROUNDS = 2
_FILES = 24
_COMMAND = Path(sys.executable).with_name("agentevals")
_WORDS = ("-e", "set.json", "-c", "config.yaml", "-o", "summary")
_TICKS = os.sysconf("SC_CLK_TCK")

Run = TypeVar("Run")


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
        held = [(count, _score_once(folder / f"{count}", count)) for count in _LARGE]
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
        serial=_fit(rounds, lambda once: _find_serial(once.alone)),
        memory=_fit(held, lambda run: run.megabytes),
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


def _score_once(folder: Path, count: int) -> Measured:
    folder.mkdir()
    suites.write(folder, count)
    measured = suites.score(folder, _COMMAND)
    shutil.rmtree(folder)
    return measured


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


def _find_serial(run: Measured) -> float:
    """Return the seconds in which only one core worked, if the others had as much to do as it."""
    cores = count_cores()
    if cores == 1:
        return 0.0
    return max(0.0, (cores * run.seconds - run.cpu) / (cores - 1))


def _fit(rounds: Sequence[tuple[int, Run]], read: Callable[[Run], float]) -> Line:
    """Return the straight line through the least value of each count."""
    counts = sorted({count for count, _ in rounds})
    least = {count: min(read(run) for n, run in rounds if n == count) for count in counts}
    mean = sum(counts) / len(counts)
    middle = sum(least.values()) / len(counts)
    over = sum((count - mean) * (value - middle) for count, value in least.items())
    slope = max(over / sum((count - mean) ** 2 for count in counts), 0.0)
    return Line(max(middle - slope * mean, 0.0), slope)


if __name__ == "__main__":
    sys.exit(main())
