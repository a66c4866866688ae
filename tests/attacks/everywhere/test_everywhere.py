"""Every attempt, on every way that third-party code is run on this machine."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from agentevals.sandbox.isolation import describe
from tests.attacks import ways
from tests.attacks.__main__ import make
from tests.attacks.scene import set_up
from tests.attacks.ways import WAYS

pytestmark = pytest.mark.skipif(
    not describe().startswith("strict"), reason="this machine cannot refuse all of it"
)
ROOT = Path(__file__).parents[3]
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
    with set_up() as scene:
        made = ways.make(way, scene, tmp_path)

    assert (made["reached"], made["damage"]) == ([], [])
