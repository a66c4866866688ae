"""Running a command and telling how long it took and how much memory it held."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_UNIT = 1024 if sys.platform != "darwin" else 1  # Linux counts ru_maxrss in KiB
_ALLOWED = (0, 1)  # a failing gate is a result like any other here


@dataclass(frozen=True)
class Measured:
    """The best of several runs: the others waited for something else."""

    seconds: float
    megabytes: float


def measure(command: Sequence[str | Path], *, cwd: Path, repeat: int) -> Measured:
    """Wall time and peak memory of the largest single process, the best of `repeat` runs."""
    runs = [_once([str(word) for word in command], cwd) for _ in range(repeat)]
    return Measured(min(r.seconds for r in runs), min(r.megabytes for r in runs))


def _once(command: Sequence[str], cwd: Path) -> Measured:
    started = time.perf_counter()
    with (cwd / "stderr.txt").open("wb") as stderr:
        child = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=stderr)
        _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in _ALLOWED:
        said = (cwd / "stderr.txt").read_text(encoding="utf-8", errors="replace")[-2000:]
        sys.exit(f"{' '.join(command)} ended with {child.returncode}:\n{said}")
    return Measured(seconds, usage.ru_maxrss * _UNIT / 2**20)
