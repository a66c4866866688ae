"""Measure the table: `python -m tests.frameworks [--newest] [--write] [--status DIR] [NAME …]`."""

import argparse
import difflib
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.frameworks import samples, status
from tests.frameworks.comparison import Reading, compare_file
from tests.frameworks.measuring import measure
from tests.frameworks.status import Status, Verdict
from tests.frameworks.table import BY_NAME

_SECONDS = 55 * 60
_MOST = 4  # rows at a time: each has an agent with its framework in memory


def main(words: Sequence[str]) -> int:
    """Print a row for each combination; 1 if one is wrong, or was not measured in time."""
    asked = _read_words(words)
    one = partial(_try, asked=asked, deadline=time.monotonic() + _SECONDS)
    found: dict[str, Status] = {}
    with ThreadPoolExecutor(min(_MOST, os.cpu_count() or 1)) as pool:
        names = asked.names or list(BY_NAME)
        for name, (verdict, lines) in zip(names, pool.map(one, names), strict=True):
            print(*lines, sep="\n", flush=True)
            found[name] = verdict
            if asked.status:
                status.write(asked.status, found)
    counts = [sum(each.verdict is verdict for each in found.values()) for verdict in Verdict]
    print(", ".join(f"{n} {verdict}" for n, verdict in zip(counts, Verdict, strict=True)))
    return 0 if counts[0] == len(found) else 1


def _read_words(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.frameworks")
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows of the table")
    parser.add_argument("--newest", action="store_true", help="the newest release of every package")
    parser.add_argument("--write", action="store_true", help="keep the recordings as samples")
    parser.add_argument("--status", type=Path, help="the folder that tells of each row")
    asked = parser.parse_args(words)
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
    readings = _read(sample)
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


def _read(sample: samples.Sample) -> dict[str, Reading]:
    found = {}
    with TemporaryDirectory() as folder:
        for name, said in sample.said.items():
            path = Path(folder) / f"{name}.jsonl"
            path.write_text(sample.recorded.get(name, ""), encoding="utf-8")
            found[name] = compare_file(path, said)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
