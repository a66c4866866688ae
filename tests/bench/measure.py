"""Running a command and telling how long it took and how much memory it held."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_UNIT = 1024 if sys.platform != "darwin" else 1  # Linux counts ru_maxrss in KiB
_ALLOWED = (0, 1)  # a failing gate is a result like any other here
_STARTER = (sys.executable, "-I", "-S", str(Path(__file__).with_name("one_command.py")))


@dataclass(frozen=True)
class Measured:
    """The best of several runs: the others waited for something else."""

    seconds: float
    megabytes: float
    cpu: float = 0.0  # seconds, of all its processes


def measure(command: Sequence[str | Path], *, cwd: Path, repeat: int) -> Measured:
    """Return wall time, peak memory and CPU time of a command, the best of `repeat` runs.

    The peak is that of the largest single process: the command itself, or one of its descendants
    that was waited for.
    """
    runs = [_once([str(word) for word in command], cwd) for _ in range(repeat)]
    return Measured(
        min(r.seconds for r in runs), min(r.megabytes for r in runs), min(r.cpu for r in runs)
    )


def measure_in_turns(
    commands: Sequence[Sequence[str | Path]], *, cwd: Path, rounds: int
) -> list[Measured]:
    """Measure several commands, one after the other in each round.

    A machine may be busier in one minute than in the next, and each minute is one of them all.
    """
    taken = [[measure(one, cwd=cwd, repeat=1) for one in commands] for _ in range(rounds)]
    return [
        Measured(
            min(r.seconds for r in runs), min(r.megabytes for r in runs), min(r.cpu for r in runs)
        )
        for runs in zip(*taken, strict=True)
    ]


def _once(command: Sequence[str], cwd: Path) -> Measured:
    stderr = cwd / "stderr.txt"
    done = subprocess.run(
        [*_STARTER, str(stderr), *command], cwd=cwd, stdout=subprocess.PIPE, check=True
    )
    exit_code, seconds, peak, cpu = json.loads(done.stdout)
    if exit_code not in _ALLOWED:
        said = stderr.read_text(encoding="utf-8", errors="replace")[-2000:]
        sys.exit(f"{' '.join(command)} ended with {exit_code}:\n{said}")
    return Measured(seconds, peak * _UNIT / 2**20, cpu)
