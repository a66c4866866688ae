import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agentevals.model.errors import InputError
from agentevals.traces.recorder import record
from agentevals.traces.recorder import run_command as run_watched
from agentevals.traces.recorder.recording_limits import Limits, Watch
from agentevals.traces.recorder.recording_storage import Storage


def run_command(words, environment):
    return run_watched(words, environment, Watch(Limits(), Storage(Path("traces"))))


def test_it_runs_with_our_input_and_output_and_keeps_its_exit_code(capfd):
    code = run_command([sys.executable, "-c", "print('here'); exit(7)"], os.environ)

    assert code == 7
    assert capfd.readouterr().out == "here\n"


def test_a_signal_that_ended_it_is_told_as_a_shell_does():
    program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"

    assert run_command([sys.executable, "-c", program], os.environ) == 128 + signal.SIGKILL


@pytest.mark.parametrize(
    ("words", "why"), [(["no-such-program-here"], "no such program"), (["/"], "cannot be run")]
)
def test_what_cannot_be_run_is_said(words, why):
    with pytest.raises(InputError, match=why):
        run_command(words, os.environ)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals_reach_the_command(name, tmp_path):
    agent = (
        f"import signal, sys, time\n"
        f"signal.signal(signal.{name}, lambda *_: sys.exit(9))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(0.05)\n"  # a signal just before a pause is lost
    )
    program = [sys.executable, "-m", "agentevals", "record", "-o", str(tmp_path / "traces")]
    with subprocess.Popen(
        [*program, "--", sys.executable, "-c", agent],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as recorder:
        assert recorder.stdout.readline() == "ready\n"
        recorder.send_signal(getattr(signal, name))

        assert recorder.wait(timeout=20) == 9


SENDER = """
import json, os, urllib.request
span = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "chat"}
body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
urllib.request.urlopen(urllib.request.Request(
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces", body,
    {"Content-Type": "application/json"})).read()
"""


def names(folder):
    return [file.name for file in folder.iterdir()]


def test_a_folder_gets_a_file_per_trace(tmp_path):
    recorded = record([sys.executable, "-c", SENDER], tmp_path / "new/traces", os.environ)

    assert recorded.files == (tmp_path / f"new/traces/{'a' * 32}.jsonl",)
    assert names(tmp_path / "new/traces") == [f"{'a' * 32}.jsonl"]


def test_a_jsonl_target_is_one_file(tmp_path):
    recorded = record([sys.executable, "-c", SENDER], tmp_path / "all.jsonl", os.environ)

    assert recorded.files == (tmp_path / "all.jsonl",)
    assert names(tmp_path) == ["all.jsonl"]


def test_a_recording_that_got_nothing_leaves_an_older_one_alone(tmp_path):
    older = tmp_path / "all.jsonl"
    older.write_text("older")

    assert record([sys.executable, "-c", ""], older, os.environ).files == ()
    assert older.read_text() == "older"


@pytest.mark.parametrize("target", ["file/traces", "file", "folder.jsonl"])
def test_a_place_that_cannot_be_written_to_is_said_before_the_command_runs(tmp_path, target):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.jsonl").mkdir()
    proof = tmp_path / "ran"

    with pytest.raises(InputError, match="choose another place"):
        record([sys.executable, "-c", f"open({str(proof)!r}, 'w')"], tmp_path / target, os.environ)
    assert not proof.exists()
