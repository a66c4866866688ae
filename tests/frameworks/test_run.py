"""A run over the table that goes on with an earlier one."""

import subprocess
import sys
from pathlib import Path

from tests.frameworks import status
from tests.frameworks.status import Status, Verdict

ROOT = Path(__file__).parents[2]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.frameworks", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_row_that_the_status_has_as_right_is_not_measured_again(tmp_path):
    status.write(tmp_path, {"adk": Status(Verdict.RIGHT, {"google-adk": "2.13.0"})})

    done = run("--resume", "--status", str(tmp_path), "adk")

    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "",
        f"{'adk':28} right          before",
        "1 right, 0 wrong, 0 not measured",
    ]


def test_nothing_can_be_resumed_without_the_status_of_a_run():
    done = run("--resume", "adk")

    assert done.returncode == 2
    assert "--resume needs --status" in done.stderr


def test_an_unknown_row_is_named_with_the_nearest_one():
    done = run("langchain-otl")

    assert done.returncode == 2
    assert "did you mean 'langchain-otel'?" in done.stderr
