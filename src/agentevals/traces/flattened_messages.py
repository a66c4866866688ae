"""Messages in numbered attributes, as OpenInference writes: `llm.input_messages.0.message.role`."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentevals.traces.attribute_values import list_numbered, numbers, parse_json
from agentevals.traces.chat_messages import ASSISTANT, USER, Message, parse_message
from agentevals.traces.message_parts import is_run_by_provider

HEARD, SPOKEN = "llm.input_messages", "llm.output_messages"
IN, OUT = "input.value", "output.value"

_CALL = {
    "name": "tool_call.function.name",
    "id": "tool_call.id",
    "arguments": "tool_call.function.arguments",
}
_CALL_PART = "tool_use"


def parse_items(attributes: dict[str, Any], role: str) -> list[Message]:
    """Return the messages of the request for `user`, of the answer for anyone else."""
    family = HEARD if role == USER else SPOKEN
    return [parse_message(item, role) for item in _items(attributes, family)]


def _items(attributes: dict[str, Any], family: str) -> Iterator[dict[str, Any]]:
    for number in numbers(attributes, family):
        prefix = f"{family}.{number}.message."
        role, content = attributes.get(f"{prefix}role"), attributes.get(f"{prefix}content")
        calls = list(list_numbered(attributes, f"{prefix}tool_calls", _CALL))
        parts = list(_list_parts(attributes, f"{prefix}contents", has_calls=bool(calls)))
        if (name := attributes.get(f"{prefix}function_call_name")) is not None:
            given = attributes.get(f"{prefix}function_call_arguments_json")
            calls.append({"name": name} | ({} if given is None else {"arguments": given}))
        for call in calls:
            if is_run_by_provider(call.get("name")):
                call["type"] = call["name"]
        beside = attributes.get(IN if family == HEARD else OUT)
        _fill_arguments(calls, beside)
        if family == SPOKEN:
            _fill_ids(calls, beside)
        if role is None and content is None and not calls and not parts:
            continue
        yield {
            "role": role,
            "content": parts or content,
            "tool_calls": calls,
            "tool_call_id": attributes.get(f"{prefix}tool_call_id"),
            "name": attributes.get(f"{prefix}name"),
        }


def _fill_arguments(calls: Sequence[dict[str, Any]], raw: Any) -> None:
    """Arguments that are empty are left out, and stand in the unflattened value beside."""
    missing = {c["id"]: c for c in calls if "arguments" not in c and c.get("id")}
    left = [parse_json(raw)] if missing else []
    while left:
        value = left.pop()
        if isinstance(value, list):
            left += value
        elif isinstance(value, dict):
            for told in parse_message({"tool_calls": [value]}, ASSISTANT).asked:
                if told.args is not None and told.call_id in missing:
                    missing[told.call_id]["arguments"] = told.args
            left += value.values()


def _fill_ids(calls: Sequence[dict[str, Any]], raw: Any) -> None:
    """Older releases leave out the ids of what Anthropic's models ask for."""
    missing = [call for call in calls if not call.get("id")]
    told = parse_json(raw) if missing else None
    asked = parse_message(told, ASSISTANT).asked if isinstance(told, dict) else []
    if [call.get("name") for call in calls] == [request.name for request in asked]:
        for call, request in zip(calls, asked, strict=True):
            call["id"] = call.get("id") or request.call_id


def _list_parts(
    attributes: dict[str, Any], family: str, *, has_calls: bool
) -> Iterator[dict[str, Any]]:
    """Yield the parts of a message; one that is a call may stand among its calls as well."""
    for number in range(len(attributes)):
        prefix = f"{family}.{number}.message_content."
        kind, text = attributes.get(f"{prefix}type"), attributes.get(f"{prefix}text")
        if kind is None and text is None:
            return
        if not (has_calls and kind == _CALL_PART):
            yield {"type": kind or "text", "text": text}
