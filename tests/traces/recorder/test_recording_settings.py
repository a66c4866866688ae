from pathlib import Path

import pytest

from agentevals.model.conversations import Span
from agentevals.traces.instrumentations import SETTINGS, identify
from agentevals.traces.recorder.recording_settings import (
    build_environment,
    describe_settings,
    explain_refusal,
)

RECORDING = Path(__file__).parents[3] / "docs/recording.md"
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
    ("own", "prompt", "delay"),
    [({}, False, None), ({}, True, "500"), ({"OTEL_BSP_SCHEDULE_DELAY": "9"}, True, "9")],
)
def test_spans_are_sent_soon_where_a_limit_counts_them(own, prompt, delay):
    told = build_environment(own, ENDPOINT, prompt=prompt)

    assert told.get("OTEL_BSP_SCHEDULE_DELAY") == delay


@pytest.mark.parametrize(
    "name",
    [
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL",
        "OTEL_SDK_DISABLED",
        "OTEL_TRACES_SAMPLER",
        "MLFLOW_ENABLE_OTLP_EXPORTER",
    ],
)
def test_what_would_send_traces_elsewhere_is_taken_away(name):
    assert name not in build_environment({name: "x"}, ENDPOINT)


def test_an_exporter_that_adds_no_path_finds_the_one_of_traces():
    """MLflow 3.6 sends to the general address as it is."""
    name = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"

    assert build_environment({name: "http://elsewhere"}, ENDPOINT)[name] == f"{ENDPOINT}/v1/traces"


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


ALL = (
    f"Set {OPT_IN}={LATEST}, {CONTENT}=SPAN_AND_EVENT and ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true"
)


def explain(own, remedy=ALL, *, has_messages=False, has_logs=False):
    told = build_environment(own, ENDPOINT)
    return explain_refusal(remedy, own, told, has_messages=has_messages, has_logs=has_logs)


@pytest.mark.parametrize(
    ("own", "remedy"),
    [
        ({CONTENT: "false"}, ALL),
        ({CONTENT: "NO_CONTENT"}, ALL),
        ({"ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS": "0"}, ALL),
        ({"OPENINFERENCE_HIDE_OUTPUTS": "true"}, "Unset OPENINFERENCE_HIDE_INPUTS and the others"),
    ],
)
def test_a_setting_that_keeps_messages_out_is_named(own, remedy):
    (name, value), *_ = own.items()

    assert explain(own, remedy) == (
        f"{name} is {value!r} in your environment, which keeps messages out. Unset it, "
        "and record again"
    )


def test_all_settings_that_keep_messages_out_are_named():
    own = {CONTENT: "false", "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS": "no"}

    assert "IN_SPANS is 'no' in your environment, which keeps messages out. Unset them" in explain(
        own
    )


@pytest.mark.parametrize(
    "own", [{"OPENINFERENCE_HIDE_INPUTS": "true"}, {"TRACELOOP_TRACE_CONTENT": "false"}]
)
def test_a_setting_of_another_instrumentation_is_none_of_its_business(own):
    assert "in your environment" not in explain(own)


@pytest.mark.parametrize("value", ["true", "EVENT_ONLY"])
def test_messages_that_are_log_records_need_an_exporter(value):
    said = explain({CONTENT: value})

    assert f"with {CONTENT}={value} instrumentations send messages as log records" in said
    assert "the agent has no exporter for them" in said
    assert f"Unset {CONTENT}, or start it with 'opentelemetry-instrument'" in said


def test_an_agent_that_exports_log_records_has_an_exporter():
    assert "exporter" not in explain({CONTENT: "true"}, has_logs=True)


@pytest.mark.parametrize("has_logs", [True, False])
def test_an_older_instrumentation_does_not_follow_what_record_sets(has_logs):
    said = explain({}, has_logs=has_logs)

    assert f"Older instrumentations follow only 'true': set {CONTENT}=true, and record" in said
    assert ("exporter" in said) is not has_logs


@pytest.mark.parametrize(("own", "named"), [({OPT_IN: ""}, OPT_IN), ({CONTENT: "true"}, CONTENT)])
def test_a_setting_that_keeps_record_from_opting_in_is_named(own, named):
    said = explain(own, f"Set {OPT_IN}={LATEST}", has_messages=True)

    assert f"so 'record' did not set {OPT_IN}={LATEST}. Unset {named}, and record again" in said


def test_settings_that_record_made_explain_nothing():
    assert not explain({}, has_messages=True)
    assert not explain({}, "Give InstrumentationSettings(include_content=True)")


OPENLLMETRY = identify(Span(span_id="1", name="n", scope="traceloop"))
AZURE = identify(Span(span_id="1", name="n", scope="azure.ai.agents"))


def describe(own, *used):
    return list(describe_settings(used, own, build_environment(own, ENDPOINT)))


def test_what_was_set_for_an_instrumentation_is_said():
    assert describe({}, OPENLLMETRY) == [
        "OpenLLMetry: 'record' has set TRACELOOP_TRACE_CONTENT=true"
    ]


def test_what_stayed_as_the_user_has_set_it_is_said():
    assert describe({"TRACELOOP_TRACE_CONTENT": "false"}, OPENLLMETRY) == [
        "OpenLLMetry: TRACELOOP_TRACE_CONTENT=false stayed as you have set it"
    ]


def test_each_instrumentation_in_use_has_a_sentence_of_its_own():
    assert [line.partition(":")[0] for line in describe({}, OPENLLMETRY, AZURE)] == [
        "OpenLLMetry",
        "Azure AI",
    ]


def test_one_that_needs_no_setting_has_none():
    assert describe({}, identify(Span(span_id="1", name="n", scope="pydantic-ai"))) == []


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_every_setting_that_records_messages_is_set_and_documented(name):
    assert name in build_environment({}, ENDPOINT)
    assert name in RECORDING.read_text(encoding="utf-8")
