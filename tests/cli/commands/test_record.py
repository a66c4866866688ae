import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentevals.traces import loaders
from tests.support import agentevals

EXAMPLES = Path(__file__).parents[3] / "examples"
AGENT = EXAMPLES / "weather_agent/agent.py"


def recorded(output, *command, **variables):
    return agentevals("record", "-o", output, "--", *command, **variables)


@pytest.mark.parametrize("name", ["paris", "picnic"])
def test_the_recordings_of_the_examples_are_those_of_their_agent(tmp_path, name):
    done = recorded(tmp_path / "again.jsonl", sys.executable, AGENT, name)

    assert done.returncode == 0
    again = loaders.load([tmp_path / "again.jsonl"]).traces
    committed = loaders.load([EXAMPLES / f"traces/{name}.jsonl"]).traces
    assert [trace.spans for trace in again] == [trace.spans for trace in committed]


def test_it_says_what_was_written_and_what_comes_next(tmp_path):
    done = recorded(tmp_path / "traces", sys.executable, AGENT, "picnic")

    assert "2 traces with 12 records written to" in done.stderr
    assert f"next: agentevals run {tmp_path / 'traces'}" in done.stderr
    assert done.stdout.startswith("user: Is today a good day for a picnic in Lisbon?\n")


def test_when_nothing_arrives_it_says_what_to_check_and_keeps_the_exit_code(tmp_path):
    done = recorded(tmp_path / "traces", sys.executable, "-c", "exit(3)")

    assert done.returncode == 3
    assert "no traces arrived at http://127.0.0.1:" in done.stderr
    assert "OTLP exporter over HTTP" in done.stderr


def test_what_was_sent_and_could_not_be_read_is_said(tmp_path):
    sender = (
        "import os, urllib.request as u\n"
        "url = os.environ['OTEL_EXPORTER_OTLP_ENDPOINT'] + '/v1/traces'\n"
        "try: u.urlopen(u.Request(url, b'{', {'Content-Type': 'application/json'}))\n"
        "except OSError: pass\n"
    )

    done = recorded(tmp_path / "traces", sys.executable, "-c", sender)

    assert "agentevals: 1 request refused: the body is not an OTLP request" in done.stderr


WORDLESS = """
import json, os, urllib.request
said = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1", "gen_ai.system": "x"}
said |= json.loads(os.environ.get("SAID", "{}"))
attributes = [{"key": key, "value": {"stringValue": value}} for key, value in said.items()]
span = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "chat", "attributes": attributes}
body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
urllib.request.urlopen(urllib.request.Request(
    os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces", body,
    {"Content-Type": "application/json"})).read()
"""
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def test_when_no_message_was_recorded_it_says_which_variable_to_set(tmp_path):
    done = recorded(tmp_path / "traces", sys.executable, "-c", WORDLESS)

    assert (
        "agentevals: a model was called, but no question and no answer was recorded; "
        f"set {CONTENT}=true and record again (older instrumentations accept only this)"
    ) in done.stderr
    assert "1 trace with 1 record written to" in done.stderr


def test_when_the_user_has_set_the_variable_it_says_to_what(tmp_path):
    done = recorded(tmp_path / "traces", sys.executable, "-c", WORDLESS, **{CONTENT: "true"})

    assert f"no answer was recorded; {CONTENT} is 'true' here: unset it" in done.stderr


@pytest.mark.parametrize("key", ["gen_ai.input.messages", "gen_ai.output.messages"])
def test_one_message_is_enough_to_say_nothing(tmp_path, key):
    message = [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]
    said = json.dumps({key: json.dumps(message)})
    done = recorded(tmp_path / "traces", sys.executable, "-c", WORDLESS, SAID=said)

    assert "1 trace with 1 record written to" in done.stderr
    assert "no question" not in done.stderr


def test_a_command_that_does_not_exist_is_the_users_mistake(tmp_path):
    done = recorded(tmp_path / "traces", "no-such-program-here")

    assert done.returncode == 2
    assert done.stderr.startswith("agentevals: no-such-program-here: no such program")


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".jsonl"])
def test_a_place_that_cannot_be_is_the_users_mistake(tmp_path, name):
    done = recorded(tmp_path / name, "true")

    assert done.returncode == 2
    assert "cannot be written to: File name too long; choose another place" in done.stderr


def test_a_command_that_removes_the_place_is_told_of(tmp_path):
    script = f"rm -rf traces; {sys.executable} {AGENT} paris"
    program = [sys.executable, "-m", "agentevals", "record", "-o", "traces", "--", "sh", "-c"]

    done = subprocess.run(
        [*program, script], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert done.stderr.endswith(
        "traces: cannot be written to: No such file or directory; choose another place with -o\n"
    )


def test_what_comes_next_can_be_pasted_into_a_shell(tmp_path):
    done = recorded(tmp_path / "my traces", sys.executable, AGENT, "paris")

    assert f"next: agentevals run '{tmp_path / 'my traces'}'\n" in done.stderr
