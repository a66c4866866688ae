import subprocess
import sys

import pytest

from tests.support import agentevals


@pytest.mark.parametrize("words", [[], ["registry"]])
def test_help_lists_every_command_without_importing_one(words):
    program = "import sys; from agentevals.cli import main\n"
    program += "try: main()\nfinally: print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program, *words, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "validate" in done.stdout
    assert "agentevals.cli.commands.validate'" not in done.stdout
    assert "registry_tools.cli.commands" not in done.stdout


@pytest.mark.parametrize(("words", "near"), [(["rnu"], "'run'"), (["registry", "indx"], "'index'")])
def test_an_unknown_command_names_the_nearest(words, near):
    done = agentevals(*words)

    assert done.returncode == 2
    assert f"did you mean {near}?" in done.stderr
