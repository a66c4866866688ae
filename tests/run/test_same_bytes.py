"""A run comes to the same bytes however it is done. `SEED=n` draws other suites."""

import os
import re
from pathlib import Path

import pytest

from tests.run.suites import Suite
from tests.support import agentevals

_FIRST = int(os.environ.get("SEED", "1"))
_ROUNDS = int(os.environ.get("ROUNDS", "3"))
_DURATION = re.compile(r'(?m)(?<="duration_ms": )[\d.e+-]+| · [\d.]+ m?s$')
_FORMATS = ("json", "report", "markdown", "sarif", "html")


@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _ROUNDS))
def test_as_many_processes_as_there_are_cores_find_what_one_finds(
    seed: int, tmp_path: Path
) -> None:
    words = Suite(seed, tmp_path).write()

    alone, together = (run(words, tmp_path, "--jobs", jobs) for jobs in ("1", "8"))

    assert together == alone


def run(words: tuple[str, ...], folder: Path, *more: str) -> dict[str, str]:
    files = [word for name in _FORMATS for word in ("--output-file", f"{name}=out.{name}")]
    done = agentevals("run", *words, *files, *more, cwd=folder)
    assert done.returncode in {0, 1}, done.stderr
    texts = {name: (folder / f"out.{name}").read_text(encoding="utf-8") for name in _FORMATS}
    texts |= {"stdout": done.stdout, "stderr": done.stderr, "exit code": str(done.returncode)}
    return {name: _DURATION.sub("0", text) for name, text in texts.items()}
