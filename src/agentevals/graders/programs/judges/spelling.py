"""Both spellings of the keys that AgentV gives to messages and tool calls, and of no other."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Record = dict[str, Any]

_CAMEL = {
    "cost_usd": "costUsd",
    "duration_ms": "durationMs",
    "end_time": "endTime",
    "start_time": "startTime",
    "token_usage": "tokenUsage",
    "tool_calls": "toolCalls",
}
_SNAKE = {camel: snake for snake, camel in _CAMEL.items()}


def to_camel(key: str) -> str:
    """A key of ours as JavaScript writes it."""
    first, *others = key.split("_")
    return first + "".join(word.capitalize() for word in others)


def to_snake_case(messages: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Messages as nearly every release of AgentV sends them. What users put in stays."""
    return [_spell_message(message, _SNAKE) for message in messages]


def to_camel_case(messages: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Messages as AgentV 1.6.1 sends them. What users put in stays."""
    return [_spell_message(message, _CAMEL) for message in messages]


def _spell_message(message: Mapping[str, Any], spelling: Mapping[str, str]) -> Record:
    found = _replace_keys(message, spelling)
    for key in ("tool_calls", "toolCalls"):
        if isinstance(found.get(key), list | tuple):
            found[key] = [_spell_call(call, spelling) for call in found[key]]
    return found


def _spell_call(call: Any, spelling: Mapping[str, str]) -> Any:
    return _replace_keys(call, spelling) if isinstance(call, Mapping) else call


def _replace_keys(record: Mapping[str, Any], spelling: Mapping[str, str]) -> Record:
    return {spelling.get(key, key): value for key, value in record.items()}


def spell_keys(record: Mapping[str, Any], spell: Callable[[str], str]) -> Record:
    """The keys of a record of ours, spelt in another way; what they lead to stays."""
    return {spell(key): value for key, value in record.items()}
