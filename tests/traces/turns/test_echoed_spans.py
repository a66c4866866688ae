"""The SDK of Anthropic records each request by itself, without messages."""

from typing import Any

import pytest
from msgspec.structs import replace

from agentevals.model.conversations import Span, Trace
from agentevals.traces.turns import converse

REQUEST = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
TOLD = Span(
    span_id="1",
    name="ChatAnthropic",
    start_ns=10,
    end_ns=90,
    scope="openinference.instrumentation.langchain",
    attributes={
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Weather in Oslo?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Clear.",
        "llm.token_count.prompt": 9,
        "llm.token_count.completion": 3,
    },
)
ECHO = Span(
    span_id="2",
    name="anthropic.messages.create",
    start_ns=20,
    end_ns=80,
    scope="com.anthropic.sdk.python",
    attributes={**REQUEST, "gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 3},
)


def read(*spans: Span, together: bool = False) -> list[tuple[str, int]]:
    """Each conversation's question, and the number of its requests."""
    groups = [spans] if together else [(each,) for each in spans]
    traces = [Trace(trace_id=str(at), spans=group) for at, group in enumerate(groups)]
    return [
        (
            "".join(turn.user for turn in each.turns),
            sum(len(turn.model_calls) for turn in each.turns),
        )
        for each in converse(traces)
    ]


ONE = ("Weather in Oslo?", 1)


def test_a_request_that_another_trace_tells_of_is_no_turn():
    assert read(TOLD, ECHO) == [ONE]


@pytest.mark.parametrize("parent_id", ["0", "1"])
def test_such_a_request_in_the_same_trace_is_counted_once(parent_id):
    around = Span(span_id="0", name="POST /ask", end_ns=100)
    below = (replace(TOLD, parent_id="0"), replace(ECHO, parent_id=parent_id))

    assert read(around, *below, together=True) == [ONE]


def test_a_stream_without_counts_is_told_of_by_its_time_alone():
    counts = ("llm.token_count.prompt", "llm.token_count.completion")
    silent = {name: value for name, value in TOLD.attributes.items() if name not in counts}

    assert read(replace(TOLD, attributes=silent), ECHO) == [ONE]


@pytest.mark.parametrize(
    "change",
    [
        {"end_ns": 95},
        {"start_ns": 5},
        {"scope": "opentelemetry.instrumentation.genai.anthropic"},
        {"attributes": {**ECHO.attributes, "gen_ai.usage.output_tokens": 4}},
    ],
)
def test_any_other_request_is_a_turn(change: dict[str, Any]):
    assert read(TOLD, replace(ECHO, **change)) == [ONE, ("", 1)]


def test_a_request_that_nothing_else_tells_of_says_what_would():
    [conversation] = converse([Trace(trace_id="t", spans=(ECHO,))])

    [remedy] = {gap.remedy for gap in conversation.turns[0].gaps}
    assert remedy == (
        "Instrument the SDK with opentelemetry-instrumentation-genai-anthropic, since its own "
        "spans hold no messages, and record again"
    )


CLIENT = replace(
    TOLD, span_id="3", start_ns=20, end_ns=80, scope="openinference.instrumentation.openai"
)


def test_a_request_of_a_client_that_langchain_has_made_is_no_turn():
    assert read(TOLD, CLIENT) == [ONE]
    assert read(CLIENT, TOLD) == [ONE]


@pytest.mark.parametrize(
    "change",
    [
        {"end_ns": 95},
        {"scope": "mine"},
        {"attributes": {**TOLD.attributes, "llm.output_messages.0.message.content": "Rain."}},
        {"attributes": {**TOLD.attributes, "llm.token_count.prompt": 10}},
    ],
    ids=["later", "of somebody else", "another answer", "other tokens"],
)
def test_a_request_of_a_client_by_itself_stays(change):
    assert len(read(TOLD, replace(CLIENT, **change))) == 2


def test_clients_without_langchain_are_read_as_they_are():
    assert read(CLIENT) == [ONE]
