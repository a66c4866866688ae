"""Haystack's own spans: `haystack.agent.*`, and the components of its agents and pipelines."""

from collections.abc import Iterator, Sequence
from typing import Any

from agentevals.traces.attribute_values import count, parse_json, word
from agentevals.traces.chat_messages import Message, parse_message
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_AGENT, _REQUEST, _TOOL, _COMPONENT = (
    f"haystack.{name}" for name in ("agent", "agent.step.llm", "agent.step.tool", "component")
)
_NAME, _TYPE = "haystack.tool.name", f"{_COMPONENT}.type"
_GENERATOR, _INVOKER = "Generator", "ToolInvoker"  # how the types of components end
_RUN = ".run"
_SPANS = frozenset({f"{_AGENT}{_RUN}", _REQUEST, _TOOL, f"{_COMPONENT}{_RUN}"})


def speaks(shape: Shape) -> bool:
    return shape.name in _SPANS


def read(reading: Reading) -> None:
    name, attributes = reading.span.name.removesuffix(_RUN), reading.span.attributes
    if reading.kind is Kind.NONE:
        reading.kind = _find_kind(name, attributes)
        reading.ignored = word(attributes.get(_TYPE)).endswith(_INVOKER)
    if reading.kind is Kind.TOOL:
        reading.tool = reading.tool or word(attributes.get(_NAME))
        reading.args = attributes.get(f"{name}.input")
        reading.result = attributes.get(f"{name}.output")
    elif reading.kind is not Kind.NONE:
        _read_messages(reading, name, attributes)


def _find_kind(name: str, attributes: dict[str, Any]) -> Kind:
    if name == _COMPONENT:
        told = parse_json(attributes.get(f"{_COMPONENT}.output"))
        replies = isinstance(told, dict) and "replies" in told
        is_request = replies or word(attributes.get(_TYPE)).endswith(_GENERATOR)
        return Kind.INFERENCE if is_request else Kind.NONE
    return {_AGENT: Kind.AGENT, _REQUEST: Kind.INFERENCE, _TOOL: Kind.TOOL}[name]


def _read_messages(reading: Reading, name: str, attributes: dict[str, Any]) -> None:
    given, told = (parse_json(attributes.get(f"{name}.{end}")) for end in ("input", "output"))
    reading.input_sources.append((f"{name}.input", _parse_messages, given))
    read_output = _parse_last if reading.kind is Kind.AGENT else _parse_messages
    reading.output_sources.append((f"{name}.output", read_output, told))
    if reading.kind is not Kind.INFERENCE:
        return
    for noted in _list_objects([each.get("meta") for each in _list_messages(told)]):
        reading.model = reading.model or word(noted.get("model"))
        for usage in _list_objects([noted.get("usage")]):
            reading.fill_counts(
                input_tokens=count(usage.get("prompt_tokens")),
                output_tokens=count(usage.get("completion_tokens")),
            )


def _parse_messages(value: Any, role: str) -> list[Message]:
    return [parse_message(_spell(item), role) for item in _list_messages(value)]


def _parse_last(value: Any, role: str) -> list[Message]:
    """An agent returns the whole conversation: its answer is what was said last."""
    return _parse_messages(value, role)[-1:]


def _list_messages(value: Any) -> list[dict[str, Any]]:
    """The messages that a component was given, or those that it answered with."""
    if not isinstance(value, dict):
        return []
    return _list_objects(value.get("replies") or value.get("messages"))


def _list_objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _spell(item: dict[str, Any]) -> dict[str, Any]:
    """A message with the parts of its content as everybody else spells them."""
    return {**item, "content": list(_spell_parts(_list_objects(item.get("content"))))}


def _spell_parts(parts: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        for call in _list_objects([part.get("tool_call")]):
            yield {**call, "type": "tool_call", "name": call.get("tool_name")}
        for told in _list_objects([part.get("tool_call_result")]):
            for call in _list_objects([told.get("origin")]):
                yield {
                    "type": "tool_call_response",
                    "id": call.get("id"),
                    "name": call.get("tool_name"),
                    "response": told.get("result"),
                }
        if "text" in part:
            yield {"type": "text", "text": part["text"]}
