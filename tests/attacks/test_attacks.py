"""No attempt reads, writes, connects or survives where it was not granted."""

import subprocess
import sys
from pathlib import Path

import pytest

from agentevals.sandbox.isolation import describe
from tests.attacks import table
from tests.attacks.__main__ import make
from tests.attacks.program import write_alone
from tests.attacks.scene import TOKEN, set_up

pytestmark = pytest.mark.skipif(
    not describe().startswith("strict"), reason="this machine cannot refuse all of it"
)


def test_there_are_enough_of_them() -> None:
    scripts = sum(map(len, table.SCRIPTS.values()))

    assert len(table.list_attempts()) + len(table.EXHAUSTING) + scripts > 200


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


def test_every_attempt_that_ends_by_itself_is_refused() -> None:
    with set_up() as scene:
        made = make(scene, exhausting=False)

    assert (made["reached"], made["damage"]) == ([], [])
