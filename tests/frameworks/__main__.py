"""Measure the table: `python -m tests.frameworks [--newest] [--write] [NAME …]`."""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.frameworks import samples
from tests.frameworks.comparison import Reading, compare, read
from tests.frameworks.measuring import measure
from tests.frameworks.table import BY_NAME, NEWEST, TABLE, Combination


def main(words: list[str]) -> int:
    """Print a row for each combination; 1 if one is wrong, or was not reached in time."""
    options = {word for word in words if word.startswith("--")}
    every = NEWEST if "--newest" in options else TABLE
    names = [word for word in words if word not in options] or [each.name for each in every]
    deadline = time.monotonic() + 55 * 60
    good = True
    for name in names:
        if time.monotonic() > deadline:
            print(f"{name:28} not measured: the time is over", flush=True)
            good = False
            continue
        good = _measure(BY_NAME[name], options) and good
    return 0 if good else 1


def _measure(combination: Combination, options: set[str]) -> bool:
    began = time.monotonic()
    try:
        sample = measure(combination, newest="--newest" in options)
    except (RuntimeError, OSError) as error:
        print(f"{combination.name:28} not measured: {error}", flush=True)
        return False
    if "--write" in options:
        samples.write(sample)
    readings = _read(sample)
    seconds = time.monotonic() - began
    missing = sorted(set().union(*(reading.missing for reading in readings.values())))
    wrong = sum(bool(reading.wrong) for reading in readings.values())
    verdict = f"wrong in {wrong} of {len(readings)}" if wrong else "right"
    print(f"{combination.name:28} {verdict:14} {seconds:4.0f} s  missing: {', '.join(missing)}")
    for name, reading in readings.items():
        for line in reading.wrong:
            print(f"    {name}: {line}")
        if reading.missing:
            print(f"    {name}: missing {', '.join(sorted(reading.missing))}", flush=True)
    return not wrong


def _read(sample: samples.Sample) -> dict[str, Reading]:
    found = {}
    with TemporaryDirectory() as folder:
        for name, said in sample.said.items():
            path = Path(folder) / f"{name}.jsonl"
            path.write_text(sample.recorded.get(name, ""), encoding="utf-8")
            found[name] = compare(read(path), said)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
