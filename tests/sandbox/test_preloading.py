import os
import sys
from pathlib import Path

import pytest

from agentevals.sandbox.isolation import run_program
from agentevals.sandbox.launcher.preloading import LAST, find_stage


def test_nobody_waits_for_a_script_that_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "evaluator.py")

    assert find_stage(str(tmp_path / "evaluator.py")) == 0


@pytest.mark.parametrize(
    ("text", "stage"),
    [
        ("", 0),
        ("import json, sys\nfrom pathlib import Path", 0),
        ("import os.path as where", 0),
        ("def late():\n    import asyncio", 1),
        ("import json\nimport logging", 1),
        ("import csv", 1),
        ("from agentevals_evaluator_sdk import evaluator", LAST),
        ("import json; import pydantic", LAST),
        ("import helper", LAST),
        ("from . import helper", LAST),
        ("import importlib", LAST),
    ],
)
def test_a_script_needs_what_it_imports_and_all_where_that_is_not_known(
    tmp_path: Path, text: str, stage: int
) -> None:
    script = tmp_path / "evaluator.py"
    script.write_text(text)

    assert find_stage(str(script)) == stage


def test_a_script_that_was_changed_is_read_again(tmp_path: Path) -> None:
    script = tmp_path / "evaluator.py"
    script.write_text("import json")
    before = find_stage(str(script))
    script.write_text("import pydantic")

    assert (before, find_stage(str(script))) == (0, LAST)


def test_what_cannot_be_read_needs_nothing(tmp_path: Path) -> None:
    assert find_stage(str(tmp_path)) == find_stage(str(tmp_path / "gone.py")) == 0
    assert find_stage("nul\0.py") == 0


def test_a_very_long_script_may_import_anything(tmp_path: Path) -> None:
    script = tmp_path / "evaluator.py"
    script.write_text("#" * (1 << 21))

    assert find_stage(str(script)) == LAST


def test_a_launcher_that_imported_little_serves_a_program_that_needs_more(tmp_path: Path) -> None:
    loaded = "import sys; print('pydantic' in sys.modules)"
    for name, text in (("light", loaded), ("heavy", f"import pydantic\n{loaded}")):
        (tmp_path / f"{name}.py").write_text(text)
        command = [sys.executable, f"{name}.py"]
        finished = run_program(command, stdin=b"", timeout=10, folder=tmp_path)

    assert finished.stdout == b"True\n"
