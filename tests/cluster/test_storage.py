"""Traces behind addresses are read where paths are."""

import functools
import gzip
import http.server
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.cluster import machines
from tests.servers import find_port
from tests.support import EXAMPLES, agentevals

PARIS = EXAMPLES / "traces" / "paris.jsonl"
CONFIG = "evaluators: [{name: c, type: contains, value: Paris}]\n"


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = find_port()
    log = tmp_path_factory.mktemp("storage") / "log"
    with machines.run(["-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], log):
        machines.wait_for_port(port)
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def bucket(storage: str) -> Any:
    """A bucket with a recording in each way of compressing it."""
    system = machines.open_bucket(storage)
    data = PARIS.read_bytes()
    system.pipe("traces/one/a.jsonl", data.replace(b"\n", b" \n"))
    system.pipe("traces/one/b.jsonl.gz", gzip.compress(data))
    system.pipe("traces/one/c.jsonl.zst", zstandard.compress(data))
    system.pipe("traces/one/notes.txt", b"no trace")
    return system


def run(storage: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "config.yaml").write_text(CONFIG)
    return agentevals(*words, cwd=folder, AWS_ENDPOINT_URL=storage, **machines.ACCESS)


@pytest.mark.parametrize(
    "address",
    ["s3://traces/one/", "s3://traces/one", "s3://traces/one/*.jsonl*", "s3://traces/o*/[abc].*"],
)
def test_folders_and_patterns_name_the_files_in_them(
    storage: str, bucket: Any, tmp_path: Path, address: str
) -> None:
    done = run(storage, tmp_path, "run", address, "-c", "config.yaml", "-o", "json")

    assert "s3://traces/one/a.jsonl" in done.stdout
    assert "s3://traces/one/b.jsonl.gz" in done.stdout
    assert "s3://traces/one/c.jsonl.zst" in done.stdout
    assert "notes.txt" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("s3://traces/none.jsonl", "s3://traces/none.jsonl: cannot be read"),
        ("s3://traces/none/*.jsonl", "no trace file matches 's3://traces/none/*.jsonl'"),
        ("s3://nobody/t.jsonl", "s3://nobody/t.jsonl: cannot be read"),
        ("htp://host/t.jsonl", "htp://host/t.jsonl: Protocol not known: htp"),
    ],
)
def test_what_is_not_there_is_said_with_its_address(
    storage: str, bucket: Any, tmp_path: Path, address: str, said: str
) -> None:
    done = run(storage, tmp_path, "run", address, "-c", "config.yaml")

    assert done.returncode == 2
    assert said in done.stdout + done.stderr


def test_a_file_that_was_cut_off_is_said_to_be(storage: str, bucket: Any, tmp_path: Path) -> None:
    packed = zstandard.compress(os.urandom(50_000))
    bucket.pipe("traces/cut/a.jsonl.zst", packed[:-9])

    done = run(storage, tmp_path, "run", "s3://traces/cut/", "-c", "config.yaml")

    assert done.returncode == 2
    assert "it was cut off" in done.stdout + done.stderr


def test_the_same_content_counts_once(storage: str, bucket: Any, tmp_path: Path) -> None:
    bucket.pipe("traces/twice/a.jsonl", PARIS.read_bytes())
    bucket.pipe("traces/twice/b.jsonl", PARIS.read_bytes())

    done = run(storage, tmp_path, "run", "s3://traces/twice/", "-c", "config.yaml")

    assert "has the same content as s3://traces/twice/a.jsonl" in done.stdout + done.stderr


def test_a_file_of_a_web_server_is_read(tmp_path: Path) -> None:
    handler = functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=str(EXAMPLES / "traces")
    )
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/paris.jsonl"
        done = run("", tmp_path, "run", address, "-c", "config.yaml", "-o", "json")
        server.shutdown()

    assert done.returncode == 0, done.stdout + done.stderr
    assert address in done.stdout


def test_doctor_reads_addresses_too(storage: str, bucket: Any, tmp_path: Path) -> None:
    done = run(storage, tmp_path, "doctor", "s3://traces/one/c.jsonl.zst")

    assert done.returncode == 0, done.stderr
    assert "c.jsonl.zst" in done.stdout
