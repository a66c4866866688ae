"""Which agent has made a call: the nearest one above it that has a name."""

from typing import Any

import pytest

from agentevals.model.conversations import Span, ToolCall, Trace, Turn
from agentevals.traces.turns import converse

SAID = '[{"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "refund"}]}]'


def span(at: int, operation: str, parent: int = 0, **attributes: Any) -> Span:
    return Span(
        span_id=f"{at:02}",
        parent_id=f"{parent:02}" if parent else "",
        name=operation,
        start_ns=at,
        end_ns=100 - at,
        attributes={
            "gen_ai.operation.name": operation,
            **{f"gen_ai.{key.replace('_', '.')}": value for key, value in attributes.items()},
        },
    )


def read(*spans: Span) -> Turn:
    [conversation] = converse([Trace(trace_id="t", spans=spans)])
    [turn] = conversation.turns
    return turn


BAKERY = span(1, "invoke_agent", agent_name="bakery")
ASK = span(2, "execute_tool", 1, tool_name="ask_returns")
RETURNS = span(3, "invoke_agent", 2, agent_name="returns")
REFUND = span(5, "execute_tool", 3, tool_name="refund")


def test_a_call_of_an_agent_below_a_tool_belongs_to_the_turn_and_names_that_agent():
    turn = read(BAKERY, ASK, RETURNS, span(4, "chat", 3), REFUND, span(6, "chat", 1))

    assert [(call.name, call.agent) for call in turn.tool_calls] == [
        ("ask_returns", "bakery"),
        ("refund", "returns"),
    ]
    assert [call.agent for call in turn.model_calls] == ["returns", "bakery"]
    assert [turn.name_other(call) for call in turn.tool_calls] == ["", "returns"]


@pytest.mark.parametrize(
    ("between", "agent"),
    [
        (span(3, "invoke_workflow", 2), ""),
        (span(3, "invoke_agent", 2), ""),
        (span(3, "invoke_agent", 2, agent_name="returns"), "returns"),
    ],
)
def test_nobody_knows_who_works_inside_of_a_tool_until_a_span_names_it(between, agent):
    turn = read(BAKERY, ASK, between, REFUND)

    assert [call.agent for call in turn.tool_calls] == ["bakery", agent]


def test_a_workflow_without_a_name_is_that_of_the_agent_above_it():
    turn = read(BAKERY, span(2, "invoke_workflow", 1), span(3, "chat", 2))

    assert [call.agent for call in turn.model_calls] == ["bakery"]


def test_the_span_of_a_call_knows_its_agent_best():
    turn = read(BAKERY, span(2, "execute_tool", 1, tool_name="refund", agent_name="returns"))

    assert [call.agent for call in turn.tool_calls] == ["returns"]


def test_a_call_without_a_span_is_that_of_the_agent_whose_request_asked_for_it():
    turn = read(BAKERY, ASK, RETURNS, span(4, "chat", 3, output_messages=SAID))

    assert {call.name: call.agent for call in turn.tool_calls} == {
        "ask_returns": "bakery",
        "refund": "returns",
    }


def test_where_no_agent_has_a_name_no_call_has_one():
    turn = read(span(1, "invoke_agent"), span(2, "execute_tool", 1, tool_name="refund"))

    assert turn.tool_calls[0].agent == ""
    assert turn.name_other(ToolCall(name="refund")) == ""
