import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support import agentevals

COMMAND = Path(sys.executable).with_name("agentevals")


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


@pytest.mark.parametrize(
    ("word", "told"),
    [
        *(
            (word, "is not available, because agentevals has no server")
            for word in ("serve", "mcp")
        ),
        ("list-metrics", "is 'agentevals evaluator list' here"),
    ],
)
def test_a_command_of_agentevals_cli_is_told_where_it_went(word, told):
    done = agentevals(word)

    assert done.returncode == 2
    assert f"Error: '{word}' of agentevals-cli {told}\n" in done.stderr


@cache
def completion():
    """What people put into their `.bashrc`."""
    environ = {"HOME": "/nonexistent", "_TYPER_FORCE_DISABLE_TERMINAL": "1"}
    words = [COMMAND, "--show-completion", "bash"]
    return subprocess.run(words, capture_output=True, text=True, check=True, env=environ).stdout


def offered(*words):
    """What bash would show after Tab, asked as bash asks it."""
    script = (
        f"{completion()}\n"
        f"COMP_WORDS=(agentevals {' '.join(words[:-1])} '{words[-1]}')\n"
        f"COMP_CWORD={len(words)}\n"
        f"_agentevals_completion {COMMAND}\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        ["/bin/bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "_TYPER_FORCE_DISABLE_TERMINAL": "1"},
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "first"),
    [
        (["r"], ["run", "record", "registry"]),
        (["evaluator", "l"], ["list"]),
        (["run", "--output-f"], ["--output-file"]),
        (["run", "-o", "j"], ["json", "junit"]),
        (["run", "-m", "response_m"], ["response_match_score"]),
        (["run", "--format", "otlp"], ["otlp-json", "otlp-protobuf"]),
        (["run", "--group-by", ""], ["auto", "trace", "conversation"]),
        (["run", "--isolation", "b"], ["basic", "best"]),
        (["evaluator", "init", "x", "--runtime", "ty"], ["typescript"]),
        (["evaluator", "config", "tool_tr"], ["tool_trajectory_avg_score"]),
    ],
)
def test_bash_completes_commands_options_and_their_values(words, first):
    if not Path("/bin/bash").exists() or not COMMAND.exists():
        pytest.skip("needs bash and the installed command")

    assert offered(*words) == first


def test_file_names_are_left_to_bash():
    if not Path("/bin/bash").exists() or not COMMAND.exists():
        pytest.skip("needs bash and the installed command")

    assert offered("run", "tra") == []
