import os
import signal
import subprocess
import sys

import pytest

from agentevals.errors import InputError
from agentevals.recorder import command, record

ENDPOINT = "http://127.0.0.1:4318"


def test_the_command_is_told_where_to_send():
    told = command.environment({"PATH": "/bin"}, ENDPOINT)

    assert told["PATH"] == "/bin"
    assert told["OTEL_EXPORTER_OTLP_ENDPOINT"] == ENDPOINT
    assert told["OTEL_EXPORTER_OTLP_PROTOCOL"] == "http/protobuf"
    assert told["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] == "true"


@pytest.mark.parametrize(
    "name",
    [
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL",
        "OTEL_SDK_DISABLED",
        "OTEL_TRACES_SAMPLER",
    ],
)
def test_what_would_send_traces_elsewhere_is_taken_away(name):
    assert name not in command.environment({name: "x"}, ENDPOINT)


def test_the_user_decides_whether_messages_are_recorded():
    name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"

    assert command.environment({name: "false"}, ENDPOINT)[name] == "false"


def test_the_newest_instrumentations_have_a_value_of_their_own():
    own = {"OTEL_SEMCONV_STABILITY_OPT_IN": "http,gen_ai_latest_experimental"}
    told = command.environment(own, ENDPOINT)

    assert told["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] == "SPAN_AND_EVENT"


def test_no_message_of_a_long_conversation_is_dropped_unless_the_user_wants_it():
    name = "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"

    assert int(command.environment({}, ENDPOINT)[name]) > 10_000
    assert command.environment({name: "64"}, ENDPOINT)[name] == "64"


def test_a_proxy_is_not_asked_for_the_way_to_this_machine():
    told = command.environment({"NO_PROXY": "example.org"}, ENDPOINT)

    assert told["NO_PROXY"] == "example.org,127.0.0.1,localhost"


def test_it_runs_with_our_input_and_output_and_keeps_its_exit_code(capfd):
    code = command.run([sys.executable, "-c", "print('here'); exit(7)"], os.environ)

    assert code == 7
    assert capfd.readouterr().out == "here\n"


def test_a_signal_that_ended_it_is_told_as_a_shell_does():
    program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"

    assert command.run([sys.executable, "-c", program], os.environ) == 128 + signal.SIGKILL


@pytest.mark.parametrize(
    ("words", "why"), [(["no-such-program-here"], "no such program"), (["/"], "cannot be run")]
)
def test_what_cannot_be_run_is_said(words, why):
    with pytest.raises(InputError, match=why):
        command.run(words, os.environ)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals_reach_the_command(name, tmp_path):
    agent = (
        f"import signal, sys\n"
        f"signal.signal(signal.{name}, lambda *_: sys.exit(9))\n"
        "print('ready', flush=True)\n"
        "signal.pause()\n"
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
