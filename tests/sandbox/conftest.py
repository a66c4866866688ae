"""What the tests of isolation run."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from agentevals.sandbox.isolation import Finished, Rights, run_program

Run = Callable[..., Finished]
# many an attempt takes several processes
USUAL = {"timeout": 10, "rights": Rights(subprocess=True)}


@pytest.fixture
def evaluator(tmp_path: Path) -> Run:
    """Run a Python text as an evaluator."""

    def run(text: str, stdin: bytes = b"", *arguments: str, **permissions: Any) -> Finished:
        (tmp_path / "evaluator.py").write_text(dedent(text))
        command = [sys.executable, "evaluator.py", *arguments]
        return run_program(command, stdin=stdin, folder=tmp_path, **(USUAL | permissions))

    return run


@pytest.fixture
def program(tmp_path: Path) -> Run:
    """Run a text with a first line `#!…` as a program of its own."""

    def run(text: str, stdin: bytes = b"", *arguments: str, **permissions: Any) -> Finished:
        path = tmp_path / "program"
        path.write_text(dedent(text))
        path.chmod(0o755)
        command = ["./program", *arguments]
        return run_program(command, stdin=stdin, folder=tmp_path, **(USUAL | permissions))

    return run


@pytest.fixture(params=["evaluator", "program"])
def either(request: pytest.FixtureRequest) -> Run:
    """Run a Python text both ways: in the interpreter that waits, and in a new one."""
    run: Run = request.getfixturevalue(request.param)
    if request.param == "evaluator":
        return run
    return lambda text, *a, **k: run(f"#!/usr/bin/env python3\n{dedent(text)}", *a, **k)
