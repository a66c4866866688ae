"""Calls whose arguments or answers stand somewhere else than in the request that asked for them."""

import json
from typing import Any

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, Trace, Turn
from agentevals.traces.turns import converse

LOST = {"type": "tool_call", "id": "c1", "name": "find_order", "arguments": {}}
WHOLE = {**LOST, "arguments": {"order_id": 7}}
TOLD = {"type": "tool_call_response", "id": "c1", "response": "shipped"}
SHIPPED = {"type": "text", "content": "Shipped."}


def chat(at: int, *, heard: list[dict[str, Any]], said: dict[str, Any], **more: Any) -> Span:
    given = [{"role": "user", "parts": [{"type": "text", "content": "Where?"}]}, *heard]
    return Span(
        span_id=f"{at:02}",
        parent_id="",
        name="chat",
        start_ns=at * 100,
        end_ns=at * 100 + 50,
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps(given),
            "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [said]}]),
            **more,
        },
        scope="@traceloop/instrumentation-anthropic",
    )


def read(*spans: Span) -> Turn:
    [conversation] = converse([Trace(trace_id="t", spans=spans)])
    [turn] = conversation.turns
    return turn


def test_arguments_that_a_stream_has_lost_are_those_that_the_next_request_repeats():
    repeated = [{"role": "assistant", "parts": [WHOLE]}, {"role": "tool", "parts": [TOLD]}]

    turn = read(chat(1, heard=[], said=LOST), chat(2, heard=repeated, said=SHIPPED))

    assert [call.args for call in turn.tool_calls] == [{"order_id": 7}]


def test_a_call_without_arguments_takes_none_of_an_earlier_call_with_its_id():
    earlier = [{"role": "assistant", "parts": [WHOLE]}, {"role": "tool", "parts": [TOLD]}]
    repeated = [*earlier, {"role": "assistant", "parts": [LOST]}, {"role": "tool", "parts": [TOLD]}]
    own = {"gen_ai.response.finish_reasons": ["tool_call"]}

    turn = read(chat(1, heard=earlier, said=LOST, **own), chat(2, heard=repeated, said=SHIPPED))

    assert [call.args for call in turn.tool_calls] == [{}]


def test_a_call_without_arguments_takes_none_of_another_call_beside_it_with_its_id():
    both = {"role": "assistant", "parts": [LOST, WHOLE]}
    repeated = [both, {"role": "tool", "parts": [TOLD, TOLD]}]
    own = {"gen_ai.response.finish_reasons": ["tool_call"]}

    turn = read(chat(1, heard=[], said=LOST, **own), chat(2, heard=repeated, said=SHIPPED))

    assert [call.args for call in turn.tool_calls] == [{}]


def test_arguments_that_a_stream_has_lost_are_unknown_where_nothing_repeats_them():
    turn = read(chat(1, heard=[], said=LOST))

    assert [call.args for call in turn.tool_calls] == [None]
    assert turn.find_gap(Fact.ARGUMENTS)


def test_a_call_without_arguments_that_was_no_stream_has_none():
    turn = read(chat(1, heard=[], said=LOST, **{"gen_ai.response.finish_reasons": ["tool_call"]}))

    assert [call.args for call in turn.tool_calls] == [{}]
