"""A case as the invocations that metric functions for ADK read."""

from collections.abc import Iterator
from typing import Any

from agentevals.model.cases import Case, Scenario
from agentevals.model.conversations import ToolCall, Turn

_NANOSECONDS = 1e9

Content = dict[str, Any]


def describe_case(case: Case) -> dict[str, Any]:
    """What a metric function is given, in the words of ADK's own types."""
    return {
        "actual": [_describe_turn(turn) for turn in case.turns],
        "expected": None if case.expected is None else [_describe_turn(t) for t in case.expected],
        "scenario": _describe_scenario(case.scenario) if case.scenario else None,
    }


def _describe_turn(turn: Turn) -> dict[str, Any]:
    return {
        "invocation_id": turn.turn_id,
        "user_content": _build_content("user", turn.user),
        "final_response": None if turn.response is None else _build_content("model", turn.response),
        "intermediate_data": {
            "tool_uses": [_describe_call(call) for call in turn.tool_calls],
            "tool_responses": list(_list_responses(turn)),
            "intermediate_responses": [
                [turn.agent, [{"text": text}]] for text in turn.intermediate
            ],
        },
        "creation_timestamp": turn.start_ns / _NANOSECONDS,
    }


def _build_content(role: str, text: str) -> Content:
    return {"role": role, "parts": [{"text": text}]}


def _describe_call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.call_id, "name": call.name, "args": call.args}


def _list_responses(turn: Turn) -> Iterator[dict[str, Any]]:
    for call in turn.tool_calls:
        if call.answered or call.failed:
            yield {"id": call.call_id, "name": call.name, "response": _wrap_response(call)}


def _wrap_response(call: ToolCall) -> dict[str, Any]:
    """ADK knows objects only, and puts everything else under these two names itself."""
    if isinstance(call.response, dict):
        return call.response
    if call.failed:
        return {"error": call.error or call.response}
    return {"result": call.response}


def _describe_scenario(scenario: Scenario) -> dict[str, Any]:
    return {"starting_prompt": scenario.opening, "conversation_plan": scenario.plan}
