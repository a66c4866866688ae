"""A run on a real cluster finds what a run on one machine finds, to the byte."""

import gzip
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet
import pytest
import zstandard

import agentevals
from tests.cluster import machines
from tests.cluster.machines import Machines
from tests.run.mixed_suites import MixedSuite
from tests.run.suites import Suite

_DURATION = re.compile(
    r'(?m)(?<="duration_ms": )[\d.e+-]+|(?<="duration_ms":)[\d.e+-]+| · (\d+ min )?[\d.]+ m?s$'
    r'|(?<= time=")[\d.]+'
)
_FORMATS = ("json", "report", "markdown", "sarif", "html", "junit")
_FIRST, _ROUNDS = int(os.environ.get("SEED", "1")), int(os.environ.get("ROUNDS", "3"))
_LINES = 30  # of a file
_PACKERS = (bytes, gzip.compress, zstandard.compress)
_ENDINGS = ("", ".gz", ".zst")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    with machines.start(3, tmp_path_factory.mktemp("machines")) as started:
        yield started


def upload(cluster: Machines, folder: Path, seed: int, conversations: int) -> tuple[str, ...]:
    """Write a random suite, its traces into the bucket; return the words that run it."""
    words = Suite(seed, folder, conversations=conversations).write()
    bucket = machines.open_bucket(cluster.storage)
    written = 0
    for name in words:
        if not name.endswith(".jsonl"):
            continue
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        for at in range(0, len(lines), _LINES):
            kind = written % len(_PACKERS)
            packed = _PACKERS[kind](b"".join(lines[at : at + _LINES]))
            bucket.pipe(f"traces/{seed}/{name[:-6]}-{at:05}.jsonl{_ENDINGS[kind]}", packed)
            written += 1
    return (f"s3://traces/{seed}/", *(word for word in words if not word.endswith(".jsonl")))


def begin(
    cluster: Machines, folder: Path, words: tuple[str, ...], *more: str
) -> subprocess.Popen[str]:
    files = [word for name in _FORMATS for word in ("--output-file", f"{name}=out.{name}")]
    return subprocess.Popen(
        [sys.executable, "-m", "agentevals", "run", *words, *files, "--cases", "c.jsonl", *more],
        cwd=folder,
        env={**cluster.environment, "COLUMNS": "1000"},  # a longer duration wraps no line
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(running: subprocess.Popen[str], folder: Path) -> dict[str, str]:
    stdout, stderr = running.communicate()
    assert running.returncode in {0, 1}, stderr
    names = [*(f"out.{name}" for name in _FORMATS), "c.jsonl"]
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in names}
    texts |= {"stdout": stdout, "exit code": str(running.returncode)}
    return {name: _DURATION.sub("0", text) for name, text in texts.items()}


def on(cluster: Machines) -> tuple[str, ...]:
    return ("--engine", "dask", "--scheduler", cluster.scheduler)


@pytest.mark.parametrize("seed", [3, 21])
def test_files_in_a_bucket_come_to_what_one_machine_finds(
    cluster: Machines, seed: int, tmp_path: Path
) -> None:
    words = upload(cluster, tmp_path, seed, 200)

    alone = end(begin(cluster, tmp_path, words), tmp_path)
    together = end(begin(cluster, tmp_path, words, *on(cluster)), tmp_path)

    assert together == alone
    assert len(alone["c.jsonl"].splitlines()) > 100


@pytest.mark.parametrize("seed", range(_FIRST, _FIRST + _ROUNDS))
def test_formats_attempts_and_broken_files(cluster: Machines, seed: int, tmp_path: Path) -> None:
    words = MixedSuite(seed, tmp_path, conversations=200).write()

    alone = end(begin(cluster, tmp_path, words, "--jobs", "1"), tmp_path)

    assert end(begin(cluster, tmp_path, words, *on(cluster)), tmp_path) == alone


def test_a_row_of_parquet_is_a_case(cluster: Machines, tmp_path: Path) -> None:
    words = upload(cluster, tmp_path, 5, 60)
    rows = ("--cases", "s3://traces/out/cases.parquet")

    lines = end(begin(cluster, tmp_path, words), tmp_path)["c.jsonl"].splitlines()
    begin(cluster, tmp_path, words, *rows, *on(cluster)).communicate()

    written = machines.open_bucket(cluster.storage).cat("traces/out/cases.parquet")
    found = pyarrow.parquet.read_table(io.BytesIO(written)).to_pylist()
    assert [_DURATION.sub("0", row["report"]) for row in found] == lines
    assert [row["verdict"] for row in found] == [json.loads(line)["verdict"] for line in lines]


def test_a_program_is_refused_by_its_name_before_anything_runs(
    cluster: Machines, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text("")
    (tmp_path / "config.yaml").write_text(
        "evaluators:\n  - {name: own, type: code, path: own.py}\n"
        "  - {name: response_match_score, type: builtin}\n"
    )

    running = begin(cluster, tmp_path, ("t.jsonl", "-c", "config.yaml"), *on(cluster))
    _, stderr = running.communicate()

    assert running.returncode == 2
    assert "evaluator 'own': workers of an engine start no third-party program" in stderr


def test_python_names_the_engine_too(
    cluster: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = upload(cluster, tmp_path, 7, 40)
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    alone, together = (
        agentevals.evaluate(words[0], "config.yaml", eval_set="set.json", **more)
        for more in ({}, {"engine": "dask", "scheduler": cluster.scheduler})
    )

    assert [(case.case_id, case.score) for case in together.cases] == [
        (case.case_id, case.score) for case in alone.cases
    ]


def test_a_worker_that_is_killed_costs_only_time(cluster: Machines, tmp_path: Path) -> None:
    words = upload(cluster, tmp_path, 4, 900)
    alone = end(begin(cluster, tmp_path, words), tmp_path)

    running = begin(cluster, tmp_path, words, *on(cluster))
    killed = cluster.kill_one_at_work()
    together = end(running, tmp_path)

    assert killed
    assert together == alone
    assert sum(worker.poll() is None for worker in cluster.workers.values()) == 2
