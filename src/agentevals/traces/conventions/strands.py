"""Strands Agents: what it writes in another way than the conventions that it follows."""

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import replace

from agentevals.traces.attribute_values import parse_json, word
from agentevals.traces.chat_messages import ASSISTANT, Message, parse_messages
from agentevals.traces.conventions import Kind, Reading, Shape
from agentevals.traces.message_parts import are_bare_parts

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPE = "strands."
_CYCLE = "event_loop.cycle_id"
_OPERATION, _INVOKE = "gen_ai.operation.name", "invoke_"  # a graph, or a swarm


def speaks(shape: Shape) -> bool:
    return shape.scope.startswith(_SCOPE)


def read(reading: Reading) -> None:
    """A cycle repeats the messages of the request in it, and tools answer with parts of one."""
    attributes = reading.span.attributes
    if reading.kind is Kind.NONE and _CYCLE in attributes:
        reading.ignored = True
    if reading.kind is Kind.NONE and word(attributes.get(_OPERATION)).startswith(_INVOKE):
        reading.kind = Kind.WORKFLOW
    if reading.kind is Kind.TOOL:
        reading.result = _unwrap(parse_json(reading.result))
    reading.input_sources = [
        (name, partial(_read_messages, read), raw) for name, read, raw in reading.input_sources
    ]


def _read_messages(read: Callable[[Any, str], list[Message]], raw: Any, role: str) -> list[Message]:
    messages = read(raw, role)
    for message in messages:
        message.answers = [replace(each, value=_unwrap(each.value)) for each in message.answers]
    return messages


def _unwrap(value: Any) -> Any:
    if isinstance(value, list) and len(value) == 1 and _is_json(value[0]):
        return value[0]["json"]
    if not are_bare_parts(value):
        return value
    return parse_json("".join(message.text for message in parse_messages(value, ASSISTANT)))


def _is_json(part: Any) -> bool:
    return isinstance(part, dict) and part.keys() == {"json"}
