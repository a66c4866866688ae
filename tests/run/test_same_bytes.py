"""A run comes to the same bytes however it is done. `SEED=n ROUNDS=n` draws others."""

import os
import re
from pathlib import Path

import pytest

from tests.run import mixed_suites
from tests.run.mixed_suites import MixedSuite
from tests.run.suites import Suite
from tests.servers import serve
from tests.support import agentevals

_FIRST = int(os.environ.get("SEED", "1"))
_ROUNDS = int(os.environ.get("ROUNDS", "3"))
_TIME = r"(\d+ min )?[\d.]+ m?s"
# in JSON, CTRF, on the terminal, in the summary, in JUnit
_DURATIONS = (
    *(r'(?<="duration_ms": )[\d.e+-]+', r'(?<="duration": )\d+', r'(?<="stop": )\d+'),
    *(rf" · {_TIME}$", rf"(?<=\[){_TIME}(?=\]$)", r'(?<= time=")[\d.]+'),
)
_WIDE = "1000"  # columns, so that a longer duration wraps no line
_DURATION = re.compile(f"(?m){'|'.join(_DURATIONS)}")
_FORMATS = ("json", "report", "markdown", "summary", "review", "comment", "failures", "sarif")
_FORMATS += ("junit", "ctrf", "badge", "html")


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


@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _ROUNDS))
def test_formats_attempts_batches_and_broken_files(seed: int, tmp_path: Path) -> None:
    words = MixedSuite(seed, tmp_path, conversations=150, batch=bool(seed % 2)).write()
    kept = (*words, "--cache", "kept")

    alone = run(words, tmp_path, "--jobs", "1")

    assert run(words, tmp_path, "--jobs", "5") == alone
    assert merge(words, tmp_path, 3) == alone
    assert merge(kept, tmp_path, 2) == alone
    assert run(kept, tmp_path) == alone


@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _ROUNDS))
def test_a_judge_is_asked_the_same_however_a_run_is_done(seed: int, tmp_path: Path) -> None:
    with serve(mixed_suites.judge) as server:
        words = MixedSuite(seed, tmp_path, conversations=80, judge=server.url).write()

        alone = run(words, tmp_path, "--jobs", "1")

        assert server.seen
        assert run(words, tmp_path, "--jobs", "6") == alone
        assert merge(words, tmp_path, 3) == alone


@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _ROUNDS))
def test_a_program_says_the_same_of_cases_in_a_batch(seed: int, tmp_path: Path) -> None:
    words = MixedSuite(seed, tmp_path, conversations=60, batch=False, raises=False).write()
    alone = run(words, tmp_path)
    config = tmp_path / "config.yaml"
    config.write_text(config.read_text().replace("batch: false", "batch: true"))

    together = run(words, tmp_path)

    assert together == alone


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
    done = agentevals(*words, *files, cwd=folder, COLUMNS=_WIDE)
    assert done.returncode in {0, 1}, done.stderr
    texts = {name: (folder / f"out.{name}").read_text(encoding="utf-8") for name in _FORMATS}
    texts |= {"stdout": done.stdout, "stderr": done.stderr, "exit code": str(done.returncode)}
    return {name: _DURATION.sub("0", text) for name, text in texts.items()}
