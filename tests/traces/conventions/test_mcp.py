"""Calls of tools on an MCP server: one call, whoever writes spans for it."""

import json
from typing import Any

import pytest

from agentevals.model.conversations import Conversation, Span
from agentevals.traces.diagnosis.missing_turns import explain
from tests.traces.conventions.spans import make_span, read

CALL = {"mcp.method.name": "tools/call"}
FIND = CALL | {"gen_ai.tool.name": "find_order"}
BY_NAME = "opentelemetry.instrumentation.mcp.instrumentation"

IN_SESSION = "@traceloop/instrumentation-mcp"
NAMED = {"traceloop.span.kind": "tool", "traceloop.entity.name": "find_order"}


def span(at: int, name: str, parent: int = 0, scope: str = "", **attributes: Any) -> Span:
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    return make_span(at, name, parent, scope, named)


def operation(at: int, name: str, parent: int = 0, **attributes: Any) -> Span:
    return span(at, name, parent, gen_ai__operation__name=name, **attributes)


def count(conversation: Conversation) -> list[tuple[str, Any]]:
    return [(call.name, call.args) for turn in conversation.turns for call in turn.tool_calls]


AGENT = operation(1, "invoke_agent", gen_ai__agent__name="bakery")
TOOL = operation(
    2,
    "execute_tool",
    1,
    gen_ai__tool__name="find_order",
    gen_ai__tool__call__arguments='{"order_id": 7}',
)
CLIENT = span(3, "MCP send tools/call find_order", 2, **CALL)
SERVER = span(4, "tools/call find_order", 3, **FIND)


def test_the_spans_of_agent_client_and_server_are_one_call():
    assert count(read(AGENT, TOOL, CLIENT, SERVER)) == [("find_order", {"order_id": 7})]


def test_a_failure_that_only_the_server_has_seen_is_that_of_the_call():
    failed = span(4, "tools/call find_order", 3, error__type="tool_error", **FIND)

    [turn] = read(AGENT, TOOL, CLIENT, failed).turns

    assert turn.tool_calls[0].failed


@pytest.mark.parametrize(
    "name", ["bakery_find_order", "mcp__bakery__find_order", "shop.find_order"]
)
def test_an_agent_may_put_the_name_of_the_server_in_front(name):
    tool = operation(2, "execute_tool", 1, gen_ai__tool__name=name)

    assert [each for each, _ in count(read(AGENT, tool, CLIENT, SERVER))] == [name]


def test_a_tool_that_calls_another_one_on_a_server_makes_two_calls():
    tool = operation(2, "execute_tool", 1, gen_ai__tool__name="refind_order")

    names = [name for name, _ in count(read(AGENT, tool, CLIENT, SERVER))]

    assert names == ["refind_order", "find_order"]


def test_openllmetry_wraps_arguments_and_answer():
    tool = span(
        2,
        "find_order.tool",
        1,
        BY_NAME,
        traceloop__span__kind="tool",
        traceloop__entity__name="find_order",
        traceloop__entity__input=json.dumps({"tool_name": "find_order", "arguments": {"id": 7}}),
        traceloop__entity__output=json.dumps({"result": "shipped"}),
    )

    [turn] = read(AGENT, tool).turns

    [call] = turn.tool_calls
    assert (call.name, call.args, call.response) == ("find_order", {"id": 7}, "shipped")


def test_a_call_below_a_session_is_that_of_the_agent_beside_it():
    session = span(3, "mcp.client.session", 1, IN_SESSION)
    sent = span(4, "find_order.tool", 3, IN_SESSION, **NAMED)

    assert count(read(AGENT, TOOL, session, sent)) == [("find_order", {"order_id": 7})]


@pytest.mark.parametrize(
    "spans",
    [
        (span(1, "tools/list", mcp__method__name="tools/list"),),
        (span(1, "initialize.mcp", scope=BY_NAME),),
        (span(1, "tools/call find_order", **FIND),),
        (operation(1, "execute_tool", **FIND),),
        (
            span(1, "mcp.client.session", scope=IN_SESSION),
            span(2, "find_order.tool", 1, IN_SESSION, **NAMED),
        ),
        (span(1, "POST /mcp"), span(2, "tools/call find_order", 1, **FIND)),
    ],
)
def test_a_server_in_a_trace_of_its_own_is_no_turn_and_fails_no_run(spans):
    conversation = read(*spans)

    assert not conversation.turns
    assert conversation.preparation
    assert explain(conversation).expected
    assert "only messages of MCP are here" in explain(conversation).reason


def test_an_agent_on_a_server_that_takes_no_context_does_not_call_itself():
    inside = (
        span(1, "tools/call ask", **CALL),
        operation(2, "invoke_agent", 1, gen_ai__agent__name="returns"),
        operation(3, "execute_tool", 2, gen_ai__tool__name="refund"),
    )

    conversation = read(*inside)

    assert [turn.agent for turn in conversation.turns] == ["returns"]
    assert [name for name, _ in count(conversation)] == ["refund"]


def test_a_call_of_a_trace_whose_agent_was_lost_is_no_preparation():
    lost = operation(1, "execute_tool", 99, **FIND)

    assert not read(lost).preparation
