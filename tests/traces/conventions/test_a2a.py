"""An agent in another process, called over A2A: with the trace context, and without it."""

from typing import Any

from agentevals.model.conversations import Span
from agentevals.traces.diagnosis.missing_turns import explain
from tests.traces.conventions.spans import make_span, read

SDK = "a2a-python-sdk"


def span(at: int, name: str, parent: int = 0, scope: str = "", **attributes: Any) -> Span:
    named = {f"gen_ai.{key.replace('_', '.')}": value for key, value in attributes.items()}
    return make_span(at, name, parent, scope, named)


def agent(at: int, name: str, parent: int = 0) -> Span:
    return span(at, name, parent, operation_name="invoke_agent", agent_name=name)


def tool(at: int, name: str, parent: int) -> Span:
    return span(at, name, parent, operation_name="execute_tool", tool_name=name)


def message(at: int, method: str, parent: int = 0) -> Span:
    said = {"a2a.method.name": method, "gen_ai.agent.name": "returns"}
    return make_span(at, method, parent, "opentelemetry.instrumentation.a2a", said)


def test_an_agent_that_takes_the_context_belongs_to_the_turn():
    asked = span(3, "JsonRpcTransport.send_message", 2, SDK), span(4, "POST", 3)
    served = span(5, "JsonRpcDispatcher.handle_requests", 4, SDK), agent(6, "returns", 5)

    [turn] = read(
        agent(1, "bakery"), tool(2, "ask", 1), *asked, *served, tool(7, "refund", 6)
    ).turns

    assert [(call.name, turn.name_other(call)) for call in turn.tool_calls] == [
        ("ask", ""),
        ("refund", "returns"),
    ]


def test_a_message_in_the_words_of_the_conventions_is_no_work_of_the_agent_it_names():
    asked = message(3, "SendMessage", 2), message(4, "SendMessage", 3)
    polled = message(8, "GetTask", 2)

    [turn] = read(
        agent(1, "bakery"), tool(2, "ask", 1), *asked, agent(5, "returns", 4), polled
    ).turns

    assert [(call.name, turn.name_other(call)) for call in turn.tool_calls] == [("ask", "")]
    assert turn.agent == "bakery"
    assert read(message(1, "GetTask")).preparation


def test_an_agent_that_takes_none_has_a_turn_of_its_own():
    served = span(1, "handle_requests", 0, SDK), agent(2, "returns", 1), tool(3, "refund", 2)

    [turn] = read(*served).turns

    assert turn.agent == "returns"
    assert [call.name for call in turn.tool_calls] == ["refund"]
    assert turn.gaps


def test_the_sdks_own_traces_fail_no_run():
    conversation = read(span(1, "EventQueue.task_done", 0, SDK))

    assert conversation.preparation
    assert explain(conversation).expected
    assert "A2A" in explain(conversation).reason
