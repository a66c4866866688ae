"""No attempt reads, writes, connects or survives where it was not granted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentevals.sandbox.allowed_hosts import Host
from agentevals.sandbox.isolation import Rights, describe, run_program
from tests.attacks import table
from tests.attacks.__main__ import make
from tests.attacks.exhausting import EXHAUSTING
from tests.attacks.grants import list_grants
from tests.attacks.program import write_alone
from tests.attacks.scene import TOKEN, set_up
from tests.support import EXAMPLES

pytestmark = pytest.mark.skipif(
    not describe().startswith("strict"), reason="this machine cannot refuse all of it"
)


def test_there_are_enough_of_them() -> None:
    scripts = sum(map(len, table.SCRIPTS.values()))

    every = (table.list_attempts(), list_grants(), EXHAUSTING)
    assert sum(map(len, every)) + scripts > 480


@pytest.mark.parametrize("name", ["read {secret}", "list {folder}", "find a token of the run"])
def test_without_the_sandbox_such_an_attempt_succeeds(name: str, tmp_path: Path) -> None:
    with set_up() as scene:
        text = write_alone(table.list_attempts()[name], scene.things)
        (tmp_path / "attack.py").write_text(text)
        done = subprocess.run(
            [sys.executable, tmp_path / "attack.py"],
            env={"HOME": str(tmp_path), "SECRET": TOKEN},
            capture_output=True,
            text=True,
            check=True,
        )

    assert done.stdout == "REACHED\n"


@pytest.mark.parametrize("name", ["connect as it is", "connect a decimal number"])
def test_with_its_neighbour_granted_as_well_such_an_attempt_succeeds(
    name: str, tmp_path: Path
) -> None:
    with set_up() as scene:
        (tmp_path / "attack.py").write_text(write_alone(list_grants()[name], scene.things))
        done = run_program(
            [sys.executable, str(tmp_path / "attack.py")],
            stdin=b"",
            timeout=20,
            folder=tmp_path,
            rights=Rights(hosts=(Host("127.0.0.1", int(str(scene.things["tcp"]))),)),
        )

    assert done.stdout == b"REACHED\n", done.stderr


def test_every_attempt_that_ends_by_itself_is_refused() -> None:
    with set_up() as scene:
        made = make(scene, exhausting=False)

    assert (made["reached"], made["damage"]) == ([], [])


def test_nothing_of_a_package_json_is_installed_or_run(tmp_path: Path) -> None:
    hooks = ("preinstall", "install", "postinstall", "prepare", "prestart", "start", "test")
    package = {
        "scripts": {hook: f"echo x > {tmp_path}/ran-{hook}" for hook in hooks},
        "dependencies": {"hostile": f"file:{tmp_path}/hostile"},
    }
    (tmp_path / "package.json").write_text(json.dumps(package))
    (tmp_path / "judge.js").write_text("console.log(JSON.stringify({score: 1}))")
    entry = "{name: own, type: code, path: judge.js}"
    (tmp_path / "eval_config.yaml").write_text(f"evaluators:\n  - {entry}\n")
    before = {*tmp_path.iterdir()}
    words = ("run", str(EXAMPLES / "traces/paris.jsonl"), "-c", "eval_config.yaml")

    done = subprocess.run(
        [sys.executable, "-m", "agentevals", *words], cwd=tmp_path, check=False, capture_output=True
    )

    assert done.returncode == 0, done.stderr
    assert {*tmp_path.iterdir()} == before
