import shlex
import subprocess
import sys

import pytest

from tests.support import EXAMPLES

RUN = [
    *(sys.executable, "-m", "agentevals", "run", str(EXAMPLES / "traces" / "phoenix.jsonl")),
    *("-e", str(EXAMPLES / "eval_set.json"), "--allow-missing"),
]


def in_shell(command, redirection="", **variables):
    return subprocess.run(
        ["/bin/sh", "-c", f"{shlex.join(map(str, command))} {redirection}"],
        capture_output=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", **variables},
    )


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_stream_that_is_closed_changes_nothing_about_the_verdict(redirection):
    done = in_shell(RUN, redirection)

    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.parametrize("command", [RUN, [sys.executable, "-m", "agentevals", "--help"]])
def test_a_disk_that_is_full_is_one_sentence(command):
    done = in_shell(command, ">/dev/full")

    assert done.returncode == 2
    assert done.stderr == b"agentevals: the output cannot be written: no space left on device\n"


def test_a_reader_that_has_seen_enough_is_not_complained_about():
    assert in_shell(RUN, "| head -c 4").stderr == b""


def test_signs_that_the_terminal_does_not_know_stay_apart():
    done = in_shell(RUN, LANG="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")

    shown = done.stdout.decode("ascii")
    assert "x phoenix" in shown
    assert "! forecast" in shown
    assert "?" not in shown.replace("Fahrenheit?", "")


def test_what_a_message_names_is_not_obeyed(tmp_path):
    config = tmp_path / "\x1b[2J\udcff.yaml"
    config.write_text("evaluators: []\n")

    said = in_shell([*RUN, "-c", config]).stderr

    assert said.startswith(f"agentevals: {tmp_path}/␛[2J\\u{{dcff}}.yaml:1:1: ".encode())


def test_a_bug_of_ours_is_exit_4_and_shows_where_it_is(tmp_path):
    (tmp_path / "broken.py").write_text("raise ZeroDivisionError\n")
    code = (
        "from agentevals import cli\n"
        "cli.COMMANDS['run'] = cli.Command('broken:run', '')\n"
        "cli.main()\n"
    )

    done = in_shell([sys.executable, "-c", code, "run"], PYTHONPATH=str(tmp_path))

    assert done.returncode == 4
    assert b"ZeroDivisionError" in done.stderr
    assert done.stderr.endswith(
        b"agentevals: this is a bug of ours; please report it with the lines above\n"
    )
