"""LangSmith's own spans: `langsmith.span.kind`, and LangChain's records in two attributes."""

from typing import Any

from agentevals.traces import langchain_values
from agentevals.traces.attribute_values import parse_json, word
from agentevals.traces.chat_messages import Message
from agentevals.traces.conventions import Kind, Reading, Shape
from agentevals.traces.span_texts import find_text

CONVERSATION_KEYS = ("langsmith.metadata.thread_id", "langsmith.metadata.session_id")

_KIND = "langsmith.span.kind"
_IN, _OUT = "gen_ai.prompt", "gen_ai.completion"
_NAME = "langsmith.trace.name"
_OPERATION = "gen_ai.operation.name"
_HIDDEN = "{}"  # with LANGSMITH_HIDE_INPUTS, or without arguments: the model's message tells which
_KINDS = {
    **dict.fromkeys(("llm", "chat"), Kind.INFERENCE),
    **dict.fromkeys(("tool", "execute_tool"), Kind.TOOL),
    "chain": Kind.WORKFLOW,
}


def speaks(shape: Shape) -> bool:
    return _KIND in shape.keys or _NAME in shape.keys


def read(reading: Reading) -> None:
    """Read the records in place of what the general convention made of these attributes."""
    attributes = reading.span.attributes
    kind = word(attributes.get(_KIND)) or word(attributes.get(_OPERATION))
    reading.kind = _KINDS.get(kind, Kind.NONE)
    if reading.kind is Kind.TOOL:
        _read_tool(reading, attributes)
    elif reading.kind is Kind.INFERENCE:
        reading.output_sources.insert(0, (_OUT, _parse_generations, attributes.get(_OUT)))
    else:
        reading.agent = word(attributes.get("langsmith.metadata.lc_agent_name"))
        reading.input_sources = [(_IN, _parse_text, attributes.get(_IN))]
        reading.output_sources = [(_OUT, _parse_text, attributes.get(_OUT))]


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.tool = reading.tool or reading.span.name
    hidden = [key for key in (_IN, _OUT) if attributes.get(key) == _HIDDEN]
    reading.withheld = reading.withheld or bool(hidden)
    if reading.args is None and _IN not in hidden:
        given = langchain_values.read_input(parse_json(attributes.get(_IN)))
        alone = isinstance(given, dict) and given.keys() == {"input"}
        reading.args = langchain_values.parse_literal(given["input"]) if alone else given
    if reading.result is None and _OUT not in hidden:
        reading.result = attributes.get(_OUT)
    langchain_values.read_answer(reading)


def _parse_text(raw: Any, role: str) -> list[Message]:
    return find_text(parse_json(raw), role)


def _parse_generations(raw: Any, role: str) -> list[Message]:
    """The answers of a model as LangChain returns them."""
    return [message for message, _ in langchain_values.read_generations(parse_json(raw), role)]
