"""Mastra: what its agents were asked, and the calls of a request, which stand a span above it."""

from typing import Any

from agentevals.traces.attribute_values import parse_json, word
from agentevals.traces.chat_messages import Message, add_call, parse_messages
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_TYPE = "mastra.span.type"
_ASKED = "mastra.agent_run.input"
_STEP = "mastra.model_step.output"


def speaks(shape: Shape) -> bool:
    return _TYPE in shape.keys


def read(reading: Reading) -> None:
    """The output of an agent is no source: it joins the texts of all requests to one."""
    attributes = reading.span.attributes
    if _ASKED in attributes:
        reading.input_sources.append((_ASKED, parse_messages, attributes[_ASKED]))
    if _STEP in attributes:
        reading.kind = Kind.INFERENCE
        reading.output_sources = [(_STEP, _parse_step, attributes[_STEP])]
    elif attributes[_TYPE] == "model_inference":
        reading.output_sources = []  # the text without the calls


def _parse_step(raw: Any, role: str) -> list[Message]:
    found = parse_json(raw)
    if not isinstance(found, dict):
        return []
    message = Message(role)
    message.add_text(word(found.get("text")))
    calls = found.get("toolCalls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            named = {"name": call.get("toolName"), "id": call.get("toolCallId")}
            add_call(message, {**call, **named})
    return [message]
