"""The parts of messages by their type, in the words of every API: texts, calls and answers."""

from collections.abc import Sequence
from typing import Any

from agentevals.traces.attribute_values import parse_json, word

TEXTS = frozenset({"text", "input_text", "output_text", "refusal"})
CALLS = ("tool_call", "function_call", "tool_use", "mcp_call")
CALL = "_call"  # how the names of calls end whose tool is a part of the API
_SERVER = "server_"
# of those, what the provider itself has run before it answers
_HOSTED = frozenset(
    f"{name}{CALL}"
    for name in ("web_search", "file_search", "code_interpreter", "image_generation", "mcp")
)
ANSWERS = ("tool_result", "call_output", "call_response")
_GIVEN = ("arguments", "args", "input", "action", "queries", "code", "server_tool_call")
_REMOTE = "mcp_tool_use"
_THOUGHT = "thinking"
OPENINGS = frozenset("{ \t\r\n")  # how the JSON of an object may begin
_BARE = frozenset({"text", "toolUse", "toolResult"})
OUTCOMES = ("response", "result", "output", "content", "server_tool_call_response")


def are_bare_parts(value: Any) -> bool:
    """Return whether a value is the content of one message, as Amazon Bedrock spells its parts."""
    if not isinstance(value, list) or not value:
        return False
    if not isinstance(value[0], dict) or "role" in value[0]:  # as messages have, and no part
        return False
    return all(isinstance(p, dict) and p.keys() <= _BARE for p in value)


def are_texts(value: Any) -> bool:
    """Return whether a value is a list of one text or more, and of nothing else."""
    parts = value if isinstance(value, list) else ()
    return bool(parts) and all(isinstance(p, dict) and p.get("type") in TEXTS for p in parts)


def is_repeated(told: Any, parts: Sequence[Any]) -> bool:
    """Return whether a text is the JSON of a thought, or of a call that stands beside it.

    OpenLLMetry writes both.
    """
    told = parse_json(told)
    if not isinstance(told, dict):
        return False
    if told.get("type") == _THOUGHT and _THOUGHT in told:
        return True
    if not _is_call(told):
        return False
    calls = [part for part in parts if isinstance(part, dict) and _is_call(part)]
    ids = {word(call.get(key)) for call in calls for key in ("id", "call_id")} - {""}
    return not ids.isdisjoint({word(told.get(key)) for key in ("id", "call_id")})


def _is_call(part: dict[str, Any]) -> bool:
    return isinstance(kind := part.get("type"), str) and kind.endswith(CALLS)


def is_run_by_provider(kind: Any) -> bool:
    """Return whether calls of this type, or of this name, are no requests to the agent."""
    return isinstance(kind, str) and (kind in _HOSTED or kind.startswith(_SERVER))


def find_arguments(call: dict[str, Any], *, is_hosted: bool) -> Any:
    """Return the arguments of a call, out of what OpenTelemetry writes beside them.

    Of a call that the provider has run these are its state, or the name of the tool as a `type`.
    None if it has no key for them; null is none at all.
    """
    given = first_of(call, _GIVEN)
    if given is None:
        return None if call.keys().isdisjoint(_GIVEN) else {}
    if not (is_hosted and isinstance(given, dict)):
        return given
    if "status" in given or given.get("type") == _REMOTE:
        inner = first_of(given, _GIVEN)
        return given if inner is None else inner
    named = given.get("type") == call.get("name")
    return {key: value for key, value in given.items() if key != "type"} if named else given


def is_answer(part: Any) -> bool:
    return isinstance(part, dict) and (
        str(part.get("type", "")).endswith(ANSWERS) or "toolResult" in part
    )


def first_of(item: dict[str, Any], keys: tuple[str, ...]) -> Any:
    for key in keys:
        if (found := item.get(key)) is not None:
            return found
    return None
