import os
import signal
import subprocess
import sys

import pytest

from agentevals.model.errors import InputError
from agentevals.traces.recorder import build_environment, record, run_command

ENDPOINT = "http://127.0.0.1:4318"
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
OPT_IN = "OTEL_SEMCONV_STABILITY_OPT_IN"
LATEST = "gen_ai_latest_experimental"


def test_the_command_is_told_where_to_send():
    told = build_environment({"PATH": "/bin"}, ENDPOINT)

    assert told["PATH"] == "/bin"
    assert told["OTEL_EXPORTER_OTLP_ENDPOINT"] == ENDPOINT
    assert told["OTEL_EXPORTER_OTLP_PROTOCOL"] == "http/protobuf"


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
    assert name not in build_environment({name: "x"}, ENDPOINT)


def opted_in(told):
    return LATEST in [item.strip() for item in told.get(OPT_IN, "").split(",")]


def keeps_in_google_adk_2_13(told):
    """An agent that sets up spans and no log records. `true` means log records."""
    return told[CONTENT].upper() in ("SPAN_ONLY", "SPAN_AND_EVENT")


def keeps_in_strands_1_62(told):
    """The arguments of a call, and what its tool answered."""
    return opted_in(told)


def keeps_in_openai_v2_2_4(told):
    if opted_in(told):
        return told[CONTENT].upper() in ("SPAN_ONLY", "EVENT_ONLY", "SPAN_AND_EVENT")
    return told[CONTENT].lower() == "true"


@pytest.mark.parametrize("own", [{}, {OPT_IN: "http,database/dup"}, {OPT_IN: f"http, {LATEST}"}])
@pytest.mark.parametrize(
    "keeps", [keeps_in_google_adk_2_13, keeps_in_strands_1_62, keeps_in_openai_v2_2_4]
)
def test_every_instrumentation_is_told_to_keep_messages_in_a_way_that_it_reads(own, keeps):
    assert keeps(build_environment(own, ENDPOINT))


@pytest.mark.parametrize(
    "own",
    [
        {CONTENT: "false"},
        {CONTENT: ""},
        {CONTENT: "span_only"},
        {CONTENT: "true", OPT_IN: LATEST},
        {CONTENT: "NO_CONTENT", OPT_IN: "gen_ai_tool_definitions"},
        {OPT_IN: ""},
        {OPT_IN: "gen_ai_tool_definitions"},
    ],
)
def test_what_the_user_has_set_about_messages_stays(own):
    told = build_environment(own, ENDPOINT)

    assert own.items() <= told.items()


def test_what_the_user_has_opted_into_in_other_fields_stays():
    told = build_environment({OPT_IN: "http,database/dup"}, ENDPOINT)

    assert told[OPT_IN].startswith("http,database/dup,")


@pytest.mark.parametrize(
    "own", [{CONTENT: "true"}, {CONTENT: "True", OPT_IN: "http"}, {OPT_IN: ""}]
)
def test_who_asks_for_the_older_spelling_gets_no_opt_in_with_it(own):
    told = build_environment(own, ENDPOINT)

    assert told[CONTENT].lower() == "true"
    assert told.get(OPT_IN) == own.get(OPT_IN)
    assert keeps_in_openai_v2_2_4(told)


def test_no_message_of_a_long_conversation_is_dropped_unless_the_user_wants_it():
    name = "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"

    assert int(build_environment({}, ENDPOINT)[name]) > 10_000
    assert build_environment({name: "64"}, ENDPOINT)[name] == "64"


def test_a_proxy_is_not_asked_for_the_way_to_this_machine():
    told = build_environment({"NO_PROXY": "example.org"}, ENDPOINT)

    assert told["NO_PROXY"] == "example.org,127.0.0.1,localhost"


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
