"""Every attempt, on every way that third-party code is run on this machine."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from agentevals.sandbox.isolation import describe
from tests.attacks import table
from tests.attacks.__main__ import make
from tests.attacks.program import write_together
from tests.attacks.scene import TOKEN, set_up
from tests.attacks.ways import WAYS

pytestmark = pytest.mark.skipif(
    not describe().startswith("strict"), reason="this machine cannot refuse all of it"
)
ROOT = Path(__file__).parents[3]
# an installer has the network, and writes to the folder that it builds in
GRANTED_TO_INSTALLERS = {
    *(f"reach {name}" for name, text in table.NETWORK.items() if "socket(1)" not in text),
    *(f"get {name}" for name in ("its own text", "the mode of its text", "its folder")),
    "get removing itself",
    # what started its build is the installer, which is in the same sandbox
    *("reach files of the launcher", "reach the group of the launcher"),
    # of no use to anybody: the one is no server, and the other lies in its folder
    *("reach an abstract name of its own", "reach a path of its own"),
}
NOBODY = 65533


def test_every_attempt_is_refused_or_contained() -> None:
    with set_up() as scene:
        made = make(scene)

    assert (made["reached"], made["damage"]) == ([], [])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_same_holds_for_an_ordinary_user() -> None:
    python = shutil.which("python3", path=os.defpath)
    if python is None:
        pytest.skip("only root can read our interpreter, and there is no other")
    packages = Path(yaml.__file__).parents[1]
    done = subprocess.run(
        [python, "-m", "tests.attacks"],
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}:{packages}", "PATH": os.defpath},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr

    made = json.loads(done.stdout)
    assert (made["reached"], made["damage"]) == ([], [])
    assert "own user" not in made["isolation"]


@pytest.mark.parametrize("way", WAYS)
def test_the_same_holds_on_every_way(way: str, tmp_path: Path) -> None:
    granted = GRANTED_TO_INSTALLERS if way == "requirements.txt" else ()
    with set_up() as scene:
        words = WAYS[way](tmp_path, write_together(scene.things, granted))
        done = subprocess.run(
            [sys.executable, "-m", "agentevals", *words],
            env={**os.environ, "SECRET": TOKEN, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        damage = scene.list_damage()

    reached = re.findall(r"REACHED \[(.*?)\]", done.stdout)
    assert reached, done
    assert {*reached} == {""}
    assert damage == []
