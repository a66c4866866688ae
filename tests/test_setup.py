"""`uses: OWNER/agentevals-action/setup`: which Python installs the command, and what its step says.

What it installs is in tests/container/test_setup.py, because that needs a package index.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import github_shell

SETUP = Path(__file__).parents[1] / "setup"
MANIFEST = yaml.safe_load((SETUP / "action.yml").read_text(encoding="utf-8"))
BASH = shutil.which("bash")
OLD = "#!/bin/sh\necho 'unknown option -I' >&2\nexit 2\n"
NEW = f'#!/bin/sh\nexec {sys.executable} "$@"\n'
INSTALLER = "import sys\nprint('installed by', sys.argv[0], 'isolated:', sys.flags.isolated)\n"


@pytest.fixture
def step(tmp_path):
    """The step on a machine that has these Pythons and no other program."""
    action = tmp_path / "actions of others" / "setup"
    programs = tmp_path / "bin"
    action.mkdir(parents=True)
    programs.mkdir()
    (action / "install.py").write_text(INSTALLER)
    [(shell, script)] = github_shell.scripts({"jobs": {"setup": MANIFEST["runs"]}})

    def run(**pythons):
        for name, text in pythons.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        _, *words = github_shell.command(shell, script["run"], tmp_path)
        environ = {"PATH": str(programs), "GITHUB_ACTION_PATH": str(action)}
        return subprocess.run(
            [BASH, *words], env=environ, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return run


@pytest.mark.parametrize("pythons", [{}, {"python3": OLD, "python": OLD}])
def test_without_a_python_that_is_new_enough_it_says_so_in_one_sentence(step, pythons):
    done = step(**pythons)

    assert done.returncode == 1
    assert done.stdout.startswith("::error title=agentevals::no Python 3.11 or newer")
    assert "add actions/setup-python" in done.stdout
    assert len((done.stdout + done.stderr).splitlines()) == 1


@pytest.mark.parametrize("name", ["python3.13", "python3.12", "python3.11", "python"])
def test_any_python_that_is_new_enough_installs(step, name):
    done = step(**{"python3": OLD, name: NEW})

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("installed by")
    assert f"setup{os.sep}install.py isolated: 1" in done.stdout


def test_an_installer_that_fails_fails_the_step(step):
    failing = NEW.replace("exec", 'case "$*" in *install.py) exit 7;; esac\nexec')

    assert step(python3=failing).returncode == 7


def test_it_takes_nothing_of_the_workflow_and_uses_no_other_action():
    text = (SETUP / "action.yml").read_text(encoding="utf-8")

    assert "${{" not in text
    assert [step for step in MANIFEST["runs"]["steps"] if "uses" in step] == []
    assert "inputs" not in MANIFEST
