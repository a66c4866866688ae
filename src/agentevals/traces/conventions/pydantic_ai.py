"""Pydantic AI before its release 2: agents and tools without the name of their operation."""

from typing import Any

from agentevals.traces.attribute_values import amount, parse_json, word
from agentevals.traces.chat_messages import USER, Message, parse_messages
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPE = "pydantic-ai"
_AGENT, _TOOL = "agent_name", "gen_ai.tool.name"
_KINDS = {_AGENT: Kind.AGENT, _TOOL: Kind.TOOL}
_WHOLE, _WHOLE_AS_EVENTS = "pydantic_ai.all_messages", "all_messages_events"
_EVENTS, _CHOICE = "events", "gen_ai.choice"


def speaks(shape: Shape) -> bool:
    return shape.scope == _SCOPE


def read(reading: Reading) -> None:
    attributes = reading.span.attributes
    if reading.kind is Kind.NONE and "gen_ai.operation.name" not in attributes:
        reading.kind = next((kind for key, kind in _KINDS.items() if key in attributes), Kind.NONE)
        reading.ignored = reading.kind is Kind.NONE  # the span around several tools
    if reading.kind is Kind.AGENT:
        _read_agent(reading, attributes)
    elif reading.kind is Kind.TOOL:
        _read_tool(reading, attributes)
    elif reading.kind is Kind.INFERENCE:
        _read_inference(reading, attributes)


def _read_agent(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.agent = reading.agent or word(attributes.get(_AGENT))
    if _WHOLE in attributes:
        reading.input_sources.append((_WHOLE, parse_messages, attributes[_WHOLE]))
    if _WHOLE_AS_EVENTS in attributes:
        events = attributes[_WHOLE_AS_EVENTS]
        reading.input_sources.append((_WHOLE_AS_EVENTS, _parse_events, events))
    if isinstance(result := attributes.get("final_result"), str):
        reading.output_sources.append(("final_result", _parse_result, result))


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.tool = reading.tool or word(attributes.get(_TOOL))
    reading.call_id = reading.call_id or word(attributes.get("gen_ai.tool.call.id")) or None
    if reading.args is None:
        reading.args = attributes.get("tool_arguments")
    if reading.result is None:
        reading.result = attributes.get("tool_response")


def _read_inference(reading: Reading, attributes: dict[str, Any]) -> None:
    if _EVENTS in attributes:
        reading.input_sources.append((_EVENTS, _parse_events, attributes[_EVENTS]))
        reading.output_sources.append((_EVENTS, _parse_events, attributes[_EVENTS]))
    if reading.cost is None:
        reading.cost = amount(attributes.get("operation.cost"))


def _parse_result(raw: str, role: str) -> list[Message]:
    """Return the answer as it is: JSON in it is what was said, and no message."""
    said = Message(role)
    said.add_text(raw)
    return [said]


def _parse_events(raw: Any, role: str) -> list[Message]:
    """The oldest spelling: a list of what others send as events, with the model's answer last."""
    found = parse_json(raw)
    items = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    if role == USER:
        return parse_messages([i for i in items if i.get("event.name") != _CHOICE], role)
    told = [item.get("message") for item in items if item.get("event.name") == _CHOICE]
    return parse_messages(told, role)
