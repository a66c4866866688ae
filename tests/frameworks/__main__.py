"""Measure the table: `python -m tests.frameworks [--newest] [--write] [--status DIR] [NAME …]`.

A run ends within an hour: a row begins in the first 50 minutes, and has ten. `--resume` goes on
with one that was ended: rows that the status has as right are not measured again.
"""

import argparse
import difflib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.frameworks import samples, status
from tests.frameworks.comparison import Reading, compare_file, compare_scattered
from tests.frameworks.measuring import measure
from tests.frameworks.status import Status, Verdict
from tests.frameworks.table import BY_NAME

_SECONDS = 50 * 60
_MOST = 4  # rows at a time: each has an agent with its framework in memory
_WAITING = 1  # of them: an installer waits for the network most of the time


def main(words: Sequence[str]) -> int:
    """Print a row for each combination; 1 if one is wrong, or was not measured in time."""
    asked = _read_words(words)
    names = asked.names or list(BY_NAME)
    found = _resume(asked.status, names) if asked.resume else {}
    one = partial(_try, asked=asked, deadline=time.monotonic() + _SECONDS)
    first = {name: f"{name:28} right          before" for name in found}
    with ThreadPoolExecutor(min(_MOST, (os.cpu_count() or 1) + _WAITING)) as pool:
        running = {pool.submit(one, name): name for name in names if name not in found}
        for done in as_completed(running):
            name, (found_of_row, lines) = running[done], done.result()
            print(*lines, sep="\n", flush=True)
            found[name], first[name] = found_of_row, lines[0]
            if asked.status:
                status.write(asked.status, found)
    print("", *(first[name] for name in names), sep="\n")
    counts = [sum(each.verdict is verdict for each in found.values()) for verdict in Verdict]
    print(", ".join(f"{n} {verdict}" for n, verdict in zip(counts, Verdict, strict=True)))
    return 0 if counts[0] == len(found) else 1


def _resume(folder: Path, names: Sequence[str]) -> dict[str, Status]:
    """Return the rows that an earlier run has found right."""
    if not (folder / status.FILE).exists():
        return {}
    known = status.read(folder, BY_NAME)
    return {name: known[name] for name in names if known[name].verdict is Verdict.RIGHT}


def _read_words(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.frameworks")
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows of the table")
    parser.add_argument("--newest", action="store_true", help="the newest release of every package")
    parser.add_argument("--write", action="store_true", help="keep the recordings as samples")
    parser.add_argument("--status", type=Path, help="the folder that tells of each row")
    parser.add_argument("--resume", action="store_true", help="leave out what is right in --status")
    asked = parser.parse_args(words)
    if asked.resume and not asked.status:
        parser.error("--resume needs --status: the folder of the run to go on with")
    if unknown := [name for name in asked.names if name not in BY_NAME]:
        near = difflib.get_close_matches(unknown[0], BY_NAME, n=1)
        parser.error(
            f"{unknown[0]!r} is no row of the table"
            + (f" (did you mean {near[0]!r}?)" if near else "")
        )
    return asked


def _try(name: str, *, asked: argparse.Namespace, deadline: float) -> tuple[Status, list[str]]:
    try:
        return _measure(name, asked=asked, deadline=deadline)
    except Exception as error:  # noqa: BLE001 -- a recording that nobody can read costs its own row
        return Status(Verdict.WRONG), [f"{name:28} wrong: {error!r}"]


def _measure(name: str, *, asked: argparse.Namespace, deadline: float) -> tuple[Status, list[str]]:
    began = time.monotonic()
    if began > deadline:
        return Status(), [f"{name:28} not measured: the time is over"]
    try:
        sample = measure(BY_NAME[name], newest=asked.newest)
    except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
        return Status(), [f"{name:28} not measured: {error}"]
    if asked.write:
        samples.write(sample)
    readings = _read(sample, compare_scattered if BY_NAME[name].scattered else compare_file)
    seconds = time.monotonic() - began
    wrong = any(reading.wrong for reading in readings.values())
    verdict = Verdict.WRONG if wrong else Verdict.RIGHT
    return Status(verdict, sample.versions), list(_describe(name, readings, seconds))


def _describe(name: str, readings: dict[str, Reading], seconds: float) -> list[str]:
    missing = sorted(set().union(*(reading.missing for reading in readings.values())))
    wrong = sum(bool(reading.wrong) for reading in readings.values())
    verdict = f"wrong in {wrong} of {len(readings)}" if wrong else "right"
    lines = [f"{name:28} {verdict:14} {seconds:4.0f} s  missing: {', '.join(missing)}"]
    for scenario, reading in readings.items():
        lines += [f"    {scenario}: {line}" for line in reading.wrong]
        if reading.missing:
            lines.append(f"    {scenario}: missing {', '.join(sorted(reading.missing))}")
    return lines


def _read(
    sample: samples.Sample, compare: Callable[[Path, list[dict[str, Any]]], Reading]
) -> dict[str, Reading]:
    found = {}
    with TemporaryDirectory() as folder:
        for name, said in sample.said.items():
            path = Path(folder) / f"{name}.jsonl"
            path.write_text(sample.recorded.get(name, ""), encoding="utf-8")
            found[name] = compare(path, said)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
