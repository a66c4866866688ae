"""Addresses, without the packages that know them. With these: tests/cluster/test_storage.py."""

from pathlib import Path

import pytest

from agentevals.files import storage
from agentevals.files.storage import Remote
from agentevals.run import trace_arguments
from tests.support import EXAMPLES, agentevals

CONFIG = "evaluators: [{name: c, type: contains, value: Paris}]\n"


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("s3://bucket/key", True),
        ("https://host/t.jsonl", True),
        ("traces/t.jsonl", False),
        ("C:\\traces", False),
        ("a:b", False),
    ],
)
def test_an_address_has_a_scheme(name: str, is_one: bool) -> None:
    assert storage.is_address(name) is is_one


def test_a_remote_file_is_written_as_its_address() -> None:
    path = Remote("s3://bucket/a/t.jsonl")

    assert str(path) == "s3://bucket/a/t.jsonl"
    assert path.name == "t.jsonl"
    assert path == Remote("s3://bucket/a/t.jsonl")


def test_an_address_of_this_machine_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "a b.jsonl").touch()

    found, _ = trace_arguments.expand([f"file://{tmp_path}/a%20*.jsonl"])

    assert found == [tmp_path / "a b.jsonl"]


def test_nothing_outside_of_a_workspace_is_read_by_its_address(tmp_path: Path) -> None:
    found, findings = trace_arguments.expand(["https://127.0.0.1:1/t.jsonl"], root=tmp_path)

    assert found == []
    assert [finding.rule for finding in findings] == ["trace-file-outside"]


@pytest.mark.parametrize("words", [(), ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:1")])
def test_without_the_packages_a_sentence_says_what_to_install(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "c.yaml").write_text(CONFIG)

    done = agentevals("run", "s3://bucket/*.jsonl", "-c", "c.yaml", *words, cwd=tmp_path)

    assert done.returncode == 2
    assert f"the extra '{'dask' if words else 'storage'}' of agentevals-action" in done.stderr


def test_a_table_without_the_package_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(CONFIG)
    traces = str(EXAMPLES / "traces")

    done = agentevals("run", traces, "-c", "c.yaml", "--cases", "c.parquet", cwd=tmp_path)

    assert done.returncode == 2
    assert "the extra 'parquet'" in done.stderr


def test_an_engine_that_nobody_knows_is_said_with_those_there_are() -> None:
    done = agentevals("run", "t.jsonl", "--engine", "dusk")

    assert done.returncode == 2
    assert "unknown engine 'dusk' (did you mean 'dask'?)" in done.stderr


def test_a_scheduler_without_an_engine_is_refused() -> None:
    done = agentevals("run", "t.jsonl", "--scheduler", "tcp://h:1")

    assert done.returncode == 2
    assert "--engine dask" in done.stderr


def test_any_name_of_a_file_of_cases_says_its_format(tmp_path: Path) -> None:
    traces = str(EXAMPLES / "traces")
    (tmp_path / "c.yaml").write_text(CONFIG)

    refused = agentevals("run", traces, "--cases", "c.csv", cwd=tmp_path)
    done = agentevals("run", traces, "-c", "c.yaml", "--cases", "out/c.jsonl.gz", cwd=tmp_path)

    assert refused.returncode == 2
    assert ".jsonl, .jsonl.gz, .parquet" in refused.stderr
    assert done.returncode == 1
    assert (tmp_path / "out" / "c.jsonl.gz").read_bytes().startswith(b"\x1f\x8b")
