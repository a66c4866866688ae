"""Values that end at a limit of the SDK: unknown, and the report says which variable to unset."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Conversation, Span, Trace
from agentevals.traces import loaders
from agentevals.traces.turns import converse

UNSET = (
    "Unset OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT, and "
    "record again"
)
QUESTION = "What is the weather in Oslo, and will it be the same tomorrow?"
ANSWER = "It is clear in Oslo today, and the wind is going to bring rain tomorrow."


def chat(question: str, answer: str, **more: Any) -> Span:
    """A request as OpenLLMetry writes it: a bare text in each attribute."""
    attributes = {
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": question,
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": answer,
        "gen_ai.completion.0.finish_reason": "stop",
        **more,
    }
    return Span("01", "openai.chat", start_ns=1, end_ns=2, attributes=attributes)


def read(*spans: Span) -> Conversation:
    [conversation] = converse([Trace("a" * 32, spans=spans)])
    return conversation


def list_unknown(conversation: Conversation) -> set[str]:
    return {gap.fact.value for gap in conversation.turns[0].gaps}


def test_a_text_as_long_as_json_that_ends_in_the_middle_was_cut_off():
    conversation = read(chat(QUESTION[:37], ANSWER[:37], tools=json.dumps([QUESTION])[:37]))

    assert list_unknown(conversation) >= {"question", "answer"}
    assert conversation.warnings == (
        (
            "3 attributes end after 37 characters, where a limit has cut them off: they count as "
            "not recorded"
        ),
    )
    gap = conversation.turns[0].find_gap(Fact.ANSWER)
    assert gap is not None
    assert gap.remedy == UNSET


@pytest.mark.parametrize(
    ("question", "answer", "unknown"),
    [
        pytest.param(QUESTION[:50], ANSWER[:50], {"question", "answer"}, id="a round length"),
        pytest.param(QUESTION[:32], ANSWER[:32], {"question", "answer"}, id="a power of two"),
        pytest.param(QUESTION[:41], ANSWER[:41], {"question", "answer"}, id="two of one length"),
        pytest.param(QUESTION[:41], ANSWER[:37], set(), id="two lengths"),
        pytest.param(QUESTION[:41], QUESTION[:40] + "!", set(), id="variants of one sentence"),
        pytest.param("Hi!", json.dumps({"a": "b" * 55}), set(), id="whole JSON of a round length"),
        pytest.param("Hi!", "[" + "a b " * 12 + ".", set(), id="a bracket that opens no JSON"),
    ],
)
def test_texts_as_long_as_a_limit_would_leave_them(question, answer, unknown):
    conversation = read(chat(question, answer))

    assert list_unknown(conversation) & {"question", "answer"} == unknown
    assert bool(conversation.warnings) is bool(unknown)


def test_a_process_without_a_limit_keeps_what_it_says_beside_one_with_a_limit():
    whole = chat(QUESTION, ANSWER)
    short = replace(
        whole,
        span_id="02",
        parent_id="01",
        name="GET /orders",
        resource={"service.name": "orders"},
        attributes={"body": json.dumps([QUESTION])[: len(ANSWER)]},
    )

    assert list_unknown(read(whole, short)) == set()


def test_javascript_counts_an_emoji_twice():
    text = "🧀" * 10 + "x" * 40  # 60 units of UTF-16
    cut = json.dumps([QUESTION * 2])[:60]

    assert list_unknown(read(chat("Hi!", text, tools=cut))) >= {"answer"}
    assert list_unknown(read(chat("Hi!", text[1:], tools=cut))) == set()


def test_numbered_messages_of_which_some_were_dropped_are_unknown():
    conversation = read(chat(QUESTION, ANSWER, **{"otel.dropped_attributes_count": 2}))

    assert list_unknown(conversation) >= {"question", "answer"}
    gap = conversation.turns[0].find_gap(Fact.QUESTION)
    assert gap is not None
    assert gap.remedy == (
        "Set OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT and OTEL_SPAN_EVENT_COUNT_LIMIT to 100000, and record "
        "again"
    )


def test_otlp_tells_how_many_attributes_were_dropped(tmp_path):
    span = {
        "traceId": "a" * 32,
        "spanId": "b" * 16,
        "droppedAttributesCount": 3,
        "droppedEventsCount": 0,
    }
    path = tmp_path / "trace.json"
    export = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    path.write_text(json.dumps(export), encoding="utf-8")

    [trace] = loaders.load([path]).traces

    assert trace.spans[0].attributes == {
        "otel.dropped_attributes_count": 3,
        "otel.dropped_events_count": 0,
    }
