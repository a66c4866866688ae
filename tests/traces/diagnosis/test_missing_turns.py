"""The reasons why no turn was found, by the spans that were recorded instead."""

import pytest

from agentevals.model.conversations import Conversation, Span, Trace
from agentevals.traces.diagnosis import missing_turns
from agentevals.traces.turns import converse


def span(name="s", scope="", **attributes):
    return Span(span_id=name, name=name, scope=scope, attributes=attributes)


def explain(*spans):
    [conversation] = converse([Trace(trace_id="t", spans=spans)])
    assert not conversation.turns
    return missing_turns.explain(conversation)


@pytest.mark.parametrize(
    ("spans", "reason", "remedy"),
    [
        pytest.param(
            [span("GET", **{"http.request.method": "GET"})],
            "there are only HTTP spans",
            "Instrument the agent's framework",
            id="a web service without an agent",
        ),
        pytest.param(
            [
                span("POST", **{"http.method": "POST", "http.url": "https://api.anthropic.com/v1"}),
                span("SELECT", **{"db.system": "postgresql"}),
            ],
            "there are only HTTP and database spans, among them requests to a model (anthropic)",
            "Install openinference-instrumentation-anthropic",
            id="a model that is called over HTTP",
        ),
        pytest.param(
            [span("LangGraph", "langfuse-sdk", **{"langfuse.observation.input": "hi"})],
            "1 span of Langfuse, whose attributes (langfuse.observation.*) we do not read",
            "Add OpenInference's or OpenLLMetry's instrumentation",
            id="attributes of Langfuse alone",
        ),
        pytest.param(
            [span("chain", **{"mlflow.spanInputs": "{}"})],
            "1 span of MLflow, whose attributes (mlflow.*) we do not read",
            "Give mlflow.tracing.configure() no processors",
            id="attributes of MLflow alone",
        ),
        pytest.param(
            [
                span("GET", "langfuse-sdk", **{"http.url": "https://example.org"}),
                span("chain", "langfuse-sdk", output="hi"),
            ],
            "1 span of Langfuse, whose attributes (output) we do not read",
            "Add OpenInference's or OpenLLMetry's instrumentation",
            id="spans of HTTP by the same SDK, which are none of the agent",
        ),
        pytest.param(
            [span("embed", **{"gen_ai.operation.name": "embeddings"})],
            "the spans are of other operations, and no request to a model is there: embeddings (1)",
            "Let the instrumentation record messages",
            id="embeddings alone",
        ),
        pytest.param(
            [span("invoke_agent", **{"gen_ai.operation.name": "invoke_agent"})],
            "the span of an agent holds no messages, and no span of a model or a tool is below it",
            "Let the instrumentation record messages",
            id="an agent without anything",
        ),
        pytest.param(
            [span("main"), span("step")],
            "no span says that it is of a model, a tool or an agent; names: 'main', 'step'",
            "Instrument the agent's framework",
            id="spans of one's own without attributes",
        ),
    ],
)
def test_the_spans_say_why_there_is_no_turn(spans, reason, remedy):
    found = explain(*spans)

    assert found.reason.startswith(reason)
    assert found.remedy.startswith(remedy)
    assert not found.expected


def test_the_creation_of_an_agent_is_expected_to_have_no_turn():
    found = explain(span("create_agent", **{"gen_ai.operation.name": "create_agent"}))

    assert found.expected


def test_log_records_without_spans_are_named():
    found = missing_turns.explain(Conversation(conversation_id="c"))

    assert found.reason == "there are log records, and no spans"


def test_an_agent_that_could_not_be_run_says_its_error():
    found = missing_turns.explain(Conversation(conversation_id="c", error="no API key"))

    assert found.reason == "the agent could not be run: no API key"
