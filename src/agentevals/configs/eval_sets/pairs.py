"""The calls of an eval case, each with the answer that belongs to it."""

from collections.abc import Sequence
from typing import Any, Protocol

from agentevals.model.conversations import ToolCall


class _Call(Protocol):
    name: str
    args: dict[str, Any] | None
    id: str | None


class _Response(Protocol):
    name: str | None
    response: Any
    id: str | None


def pair_responses(
    calls: Sequence[_Call], responses: Sequence[_Response]
) -> tuple[list[ToolCall], list[_Response]]:
    """Return each call with its response, and the responses that are left.

    It is the one with its id, else the next one with its name.
    """
    paired, open_responses = [], list(responses)
    for call in calls:
        response = next((r for r in open_responses if _belongs(r, call)), None)
        if response is not None:
            open_responses.remove(response)
        told = ToolCall(
            name=call.name,
            args=call.args,
            call_id=call.id,
            answer_id=response.id if response and not call.id else None,
            response=response and response.response,
            answered=response is not None,
        )
        paired.append(told)
    return paired, open_responses


def _belongs(response: _Response, call: _Call) -> bool:
    if response.id is not None and call.id is not None:
        return response.id == call.id
    return response.name == call.name
