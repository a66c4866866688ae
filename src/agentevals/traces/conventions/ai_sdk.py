"""Vercel's AI SDK up to version 6: `ai.*` attributes, and messages in its own spelling."""

from collections.abc import Iterator
from typing import Any

from agentevals.traces.attribute_values import count, parse_json, word
from agentevals.traces.chat_messages import (
    ASSISTANT,
    Message,
    build_message,
    parse_message,
    parse_messages,
)
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS = ("ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.threadId")

_OPERATION, _TOOL = "ai.operationId", "ai.toolCall"
_REQUESTS = (".doGenerate", ".doStream")
_PROMPT, _MESSAGES = "ai.prompt", "ai.prompt.messages"
_TEXT, _OBJECT, _CALLS = "ai.response.text", "ai.response.object", "ai.response.toolCalls"
_GIVEN = {"input", "args"}  # what a tool was given
_PARTS = {"tool-call": "tool_call", "tool-result": "tool_call_response"}


def speaks(shape: Shape) -> bool:
    return _OPERATION in shape.keys


def read(reading: Reading) -> None:
    attributes = reading.span.attributes
    operation = word(attributes[_OPERATION])
    if operation == _TOOL:
        _read_tool(reading, attributes)
        return
    is_request = operation.endswith(_REQUESTS)
    if not is_request and "." in operation.removeprefix("ai."):
        return  # an embedding, say
    reading.kind = Kind.INFERENCE if is_request else Kind.AGENT
    reading.agent = reading.agent or word(attributes.get("ai.telemetry.functionId"))
    if is_request:
        reading.model = reading.model or word(attributes.get("ai.model.id"))
        reading.fill_counts(
            input_tokens=count(attributes.get("ai.usage.inputTokens")),
            output_tokens=count(attributes.get("ai.usage.outputTokens")),
            cache_read_tokens=count(attributes.get("ai.usage.cachedInputTokens")),
            reasoning_tokens=count(attributes.get("ai.usage.reasoningTokens")),
        )
    heard = _MESSAGES if is_request else _PROMPT
    if heard in attributes:
        reading.input_sources.append((heard, _parse_prompt, attributes[heard]))
    if not {_TEXT, _OBJECT, _CALLS}.isdisjoint(attributes):
        reading.output_sources.append((_TEXT, _parse_response, attributes))


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.kind = Kind.TOOL
    reading.tool = word(attributes.get("ai.toolCall.name"))
    reading.call_id = word(attributes.get("ai.toolCall.id")) or None
    reading.args = attributes.get("ai.toolCall.args")
    reading.result = attributes.get("ai.toolCall.result")


def _parse_prompt(raw: Any, role: str) -> list[Message]:
    found = parse_json(raw)
    if isinstance(found, dict) and isinstance(found.get("prompt"), str):
        return [build_message(found["prompt"], role)]
    if isinstance(found, dict):
        found = found.get("messages", found.get("prompt"))
    items = found if isinstance(found, list) else []
    return parse_messages([_spell(item) for item in items], role)


def _parse_response(attributes: dict[str, Any], role: str) -> list[Message]:
    """The last step of an agent has its calls beside its text; they are those of its requests."""
    calls = parse_json(attributes.get(_CALLS))
    text = attributes.get(_TEXT, attributes.get(_OBJECT))
    parts = [_spell_part({**call, "type": "tool-call"}) for call in _items(calls)]
    said = [{"type": "text", "text": text}] if isinstance(text, str) and text else []
    return [parse_message({"role": ASSISTANT, "content": [*said, *parts]}, role)]


def _items(value: Any) -> Iterator[dict[str, Any]]:
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _spell(item: Any) -> Any:
    """A message with the parts of its content as everybody else spells them."""
    if not isinstance(item, dict) or not isinstance(item.get("content"), list):
        return item
    return {**item, "content": [_spell_part(part) for part in item["content"]]}


def _spell_part(part: Any) -> Any:
    if not isinstance(part, dict) or part.get("type") not in _PARTS:
        return part
    output = part.get("output", part.get("result"))
    if isinstance(output, dict) and {"type", "value"} <= output.keys():
        output = output["value"]
    return {
        "type": _PARTS[part["type"]],
        "name": part.get("toolName"),
        "id": part.get("toolCallId"),
        "response": output,
        **({"arguments": part.get("input", part.get("args"))} if part.keys() & _GIVEN else {}),
    }
