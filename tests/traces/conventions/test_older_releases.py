"""What releases of a year before write, and their successors do not."""

import json

import pytest

from agentevals.model.conversations import Span, Trace
from agentevals.traces.turns import converse


def read_turn(*spans):
    [conversation] = converse([Trace(trace_id="t", spans=spans)])
    return conversation.turns[0]


def test_crewai_names_the_arguments_that_it_has_read_out_of_a_text():
    call = {"tool_string": "Action: find", "tool": "…", "calling": "tool_name='find' arguments={}"}
    kinds = {"agent": "AGENT", "find._use": "TOOL"}
    spans = [
        Span(
            span_id=str(number),
            parent_id="" if number == 0 else "0",
            name=name,
            scope="openinference.instrumentation.crewai",
            attributes={"openinference.span.kind": kind, "tool.name": "find"},
        )
        for number, (name, kind) in enumerate(kinds.items())
    ]
    found = []
    for printed in ("{'id': 7, 'why': \"it's late\"}", "None", "<object>"):
        call["calling"] = f"tool_name='find' arguments={printed}"
        spans[1].attributes["input.value"] = json.dumps(call)
        found += [call.args for call in read_turn(*spans).tool_calls]

    assert found == [{"id": 7, "why": "it's late"}, {}, None]


def test_an_answer_that_a_framework_takes_out_of_a_text_is_said_once():
    crew = {"openinference.span.kind": "CHAIN", "output.value": "It is shipped."}
    said = {
        "openinference.span.kind": "LLM",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Thought: I know.\nFinal Answer: It is shipped.",
    }
    turn = read_turn(
        Span(
            span_id="1", name="crew", scope="openinference.instrumentation.crewai", attributes=crew
        ),
        Span(span_id="2", parent_id="1", name="chat", attributes=said),
    )

    assert (turn.response, turn.intermediate) == ("It is shipped.", ())


@pytest.mark.parametrize(
    "text",
    [
        "ResponseFunctionToolCall is what I call",
        "ResponseFunctionToolCall(name='refund', type='function_call', arguments=open('x'))",
        f"ResponseFunctionToolCall(name={'(' * 5000})",
    ],
)
def test_what_only_looks_like_an_output_of_openai_agents_is_what_was_said(text):
    parts = [{"type": "text", "content": text}]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": parts}]),
    }
    scope = "opentelemetry.instrumentation.openai_agents"
    turn = read_turn(Span(span_id="1", name="chat", scope=scope, attributes=attributes))

    assert (turn.response, turn.tool_calls) == (text, ())


def test_ids_that_openinference_leaves_out_are_those_beside():
    flat = "llm.output_messages.0.message."
    asked = [{"type": "tool_use", "id": f"c{n}", "name": "find", "input": {}} for n in (7, 8)]
    told = "llm.input_messages.0.message."
    request = {
        "openinference.span.kind": "LLM",
        "output.value": json.dumps({"role": "assistant", "content": asked}),
        f"{flat}tool_calls.0.tool_call.function.name": "find",
        f"{flat}tool_calls.1.tool_call.function.name": "find",
    }
    last = {
        "openinference.span.kind": "LLM",
        f"{told}role": "user",
        f"{told}tool_call_id": "c8",
        f"{told}content": "eight",
    }
    turn = read_turn(
        Span(span_id="1", name="turn"),
        Span(span_id="2", parent_id="1", name="a", start_ns=1, end_ns=2, attributes=request),
        Span(span_id="3", parent_id="1", name="b", start_ns=3, end_ns=4, attributes=last),
    )

    assert [(c.call_id, c.response) for c in turn.tool_calls] == [("c7", None), ("c8", "eight")]
