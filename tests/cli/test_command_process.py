import os
import shlex
import subprocess
import sys

import pytest

from agentevals.cli import command_process
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
        b"agentevals: this is a bug in agentevals; please report it with the lines above\n"
    )


CLASSES = "evals/evaluators/custom/own.py"
EVAL_SET = "evals/eval_sets/set.json"


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("files", "words", "expected"),
    [
        ({CLASSES: "", EVAL_SET: "{}"}, ["run", "t.json", "--config", EVAL_SET], True),
        ({EVAL_SET: "{}"}, ["run", "t.json", "--config", EVAL_SET], False),
        ({"c.json": '{"custom_metrics": {}}'}, ["run", "t.json", "-c", "c.json"], True),
        ({"c.json": '{"customMetrics": {}}'}, ["run", "t.json", "--config=c.json"], True),
        ({"c.yaml": "path: own.py"}, ["run", "-c", "c.yaml", "t.json"], True),
        ({"c.yaml": "path: own.py"}, ["validate", "-c", "c.yaml"], False),
        ({"c.yaml": "path: own.py"}, ["run", "c.yaml"], False),
        ({"c.yaml": "type: contains"}, ["run", "-c", "c.yaml"], False),
        ({}, ["run", "-c", "nowhere.yaml"], False),
        ({}, ["run", "-c", "\0"], False),
        ({}, ["run", "-c", ""], False),
        ({}, ["run", "-c"], False),
        ({}, [], False),
    ],
)
def test_a_glance_at_the_config_tells_whether_programs_will_run(
    tmp_path, monkeypatch, files, words, expected
):
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)

    assert command_process.needs_programs(words) is expected


def test_a_pipe_is_left_to_who_reads_it(tmp_path):
    os.mkfifo(tmp_path / "c.yaml")

    assert command_process.needs_programs(["run", "-c", str(tmp_path / "c.yaml")]) is False


@pytest.mark.parametrize(("text", "begun"), [("path: own.py", True), ("type: contains", False)])
def test_nothing_is_imported_for_nothing(tmp_path, text, begun):
    write(tmp_path, {"c.yaml": text})
    program = (
        "import sys; from agentevals.cli import command_process; "
        "command_process.start_sandbox(sys.argv[1:]); "
        "print('agentevals.sandbox.isolation' in sys.modules)"
    )
    words = [sys.executable, "-c", program, "run", "-c", "c.yaml"]

    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stdout == f"{begun}\n"
