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
def test_a_run_is_the_same_however_it_is_done(seed: int, tmp_path: Path) -> None:
    words = Suite(seed, tmp_path).write()

    alone = run(words, tmp_path, "--jobs", "1")

    assert run(words, tmp_path, "--jobs", "8") == alone
    for total in (1, 3):
        assert merge(words, tmp_path, total) == alone


@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _ROUNDS))
def test_a_run_is_the_same_whatever_was_kept_before(seed: int, tmp_path: Path) -> None:
    words = Suite(seed, tmp_path, conversations=40, programs=True).write()
    kept = (*words, "--cache", "kept")

    alone = run(words, tmp_path)

    assert run(kept, tmp_path) == alone
    entries = list_entries(tmp_path / "kept")
    assert len(entries) > 1  # beside the key
    assert run(kept, tmp_path) == alone
    assert merge(kept, tmp_path, 2) == alone
    assert list_entries(tmp_path / "kept") == entries


def list_entries(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def run(words: tuple[str, ...], folder: Path, *more: str) -> dict[str, str]:
    return tell(("run", *words, *more), folder)


def merge(words: tuple[str, ...], folder: Path, total: int) -> dict[str, str]:
    """Run all parts, and put them together in any order."""
    numbers = range(1, total + 1)
    for number in numbers:
        done = agentevals("run", *words, "--shard", f"{number}/{total}", cwd=folder)
        assert done.returncode == 0, done.stderr
    parts = [f"agentevals-{number}-of-{total}.part" for number in reversed(numbers)]
    return tell(("merge", *parts), folder)


def tell(words: tuple[str, ...], folder: Path) -> dict[str, str]:
    """Run a command, and return everything that it prints and writes, durations aside."""
    files = [word for name in _FORMATS for word in ("--output-file", f"{name}=out.{name}")]
    done = agentevals(*words, *files, cwd=folder)
    assert done.returncode in {0, 1}, done.stderr
    texts = {name: (folder / f"out.{name}").read_text(encoding="utf-8") for name in _FORMATS}
    texts |= {"stdout": done.stdout, "stderr": done.stderr, "exit code": str(done.returncode)}
    return {name: _DURATION.sub("0", text) for name, text in texts.items()}
