"""Langfuse's own spans: an observation each, with its type, input and output as JSON."""

from typing import Any

from agentevals.model.conversations import Span
from agentevals.traces import langchain_values
from agentevals.traces.attribute_values import amount, count, parse_json, word
from agentevals.traces.chat_messages import TOOL, Message, parse_messages
from agentevals.traces.conventions import Kind, Reading, Shape, Verdict
from agentevals.traces.span_texts import find_text

_PREFIX = "langfuse.observation."
CONVERSATION_KEYS = (
    "langfuse.session.id",
    "langfuse.trace.metadata.thread_id",
    f"{_PREFIX}metadata.thread_id",
)

_TYPE, _IN, _OUT = f"{_PREFIX}type", f"{_PREFIX}input", f"{_PREFIX}output"
_NAME, _CALL = f"{_PREFIX}metadata.lc_agent_name", f"{_PREFIX}metadata.tool_call_id"
_MODEL, _USAGE = f"{_PREFIX}model.name", f"{_PREFIX}usage_details"
_MARKS = frozenset({_MODEL, _USAGE, _CALL})
_KINDS = {
    "agent": Kind.AGENT,
    "chain": Kind.WORKFLOW,
    "tool": Kind.TOOL,
    "generation": Kind.INFERENCE,
}
_FUNCTION = "span"  # any function under `@observe`: the outermost one is asked and answers


def speaks(shape: Shape) -> Verdict:
    return _has_type if _TYPE in shape.keys else not _MARKS.isdisjoint(shape.keys)


def _has_type(span: Span) -> bool:
    return _find_type(span.attributes) != ""


def _find_type(attributes: dict[str, Any]) -> str:
    """Return the type; a request and a call still tell what they are where it was lost."""
    if _TYPE in attributes:
        return word(attributes[_TYPE])
    if _MODEL in attributes or _USAGE in attributes:
        return "generation"
    return "tool" if _CALL in attributes else ""


def read(reading: Reading) -> None:
    attributes = reading.span.attributes
    kind = _find_type(attributes)
    if reading.kind is Kind.NONE:
        is_outermost = kind == _FUNCTION and not reading.span.parent_id
        reading.kind = Kind.WORKFLOW if is_outermost else _KINDS.get(kind, Kind.NONE)
    if reading.kind is Kind.TOOL:
        _read_tool(reading, attributes)
    elif reading.kind is Kind.INFERENCE:
        _read_inference(reading, attributes)
    elif reading.kind is not Kind.NONE:
        _read_agent(reading, attributes)


def _read_agent(reading: Reading, attributes: dict[str, Any]) -> None:
    own = reading.span.name if reading.kind is Kind.AGENT else ""
    reading.agent = reading.agent or word(parse_json(attributes.get(_NAME))) or own
    reading.input_sources.append((_IN, _parse_text, attributes.get(_IN)))
    reading.output_sources.append((_OUT, _parse_text, attributes.get(_OUT)))


def _read_inference(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.model = reading.model or word(attributes.get(_MODEL))
    reading.input_sources.append((_IN, _parse_input, attributes.get(_IN)))
    reading.output_sources.append((_OUT, _parse_output, attributes.get(_OUT)))
    usage = parse_json(attributes.get(_USAGE))
    if isinstance(usage, dict):
        reading.fill_counts(
            input_tokens=count(usage.get("input")), output_tokens=count(usage.get("output"))
        )
    costs = parse_json(attributes.get(f"{_PREFIX}cost_details"))
    if isinstance(costs, dict) and reading.cost is None:
        reading.cost = amount(costs.get("total"))


def _read_tool(reading: Reading, attributes: dict[str, Any]) -> None:
    reading.tool = reading.tool or reading.span.name
    reading.call_id = reading.call_id or word(parse_json(attributes.get(_CALL))) or None
    if reading.args is None:
        reading.args = _find_arguments(attributes.get(_IN))
    if reading.result is None:
        reading.result = attributes.get(_OUT)
    if attributes.get(f"{_PREFIX}level") == "ERROR":
        reading.error = word(attributes.get(f"{_PREFIX}status_message")) or "ERROR"
    langchain_values.read_answer(reading)


def _find_arguments(raw: Any) -> Any:
    """Return the arguments of a call, out of what `@observe` notes of a function's."""
    found = langchain_values.parse_literal(parse_json(raw))
    if isinstance(found, dict) and found.keys() == {"args", "kwargs"}:
        return found["kwargs"] if not found["args"] else found
    return found


def _parse_text(raw: Any, role: str) -> list[Message]:
    given = parse_json(raw)
    if isinstance(given, dict) and given.keys() == {"args", "kwargs"}:
        args, named = given["args"], given["kwargs"]
        given = args[0] if isinstance(args, list) and len(args) == 1 and not named else named
    return find_text(given, role)


def _parse_input(raw: Any, role: str) -> list[Message]:
    """The tools that a model may use stand among the messages, as what a tool has said."""
    found = parse_json(raw)
    if isinstance(found, list):
        found = [item for item in found if not _is_definition(item)]
    return parse_messages(found, role) if found else []


def _is_definition(item: Any) -> bool:
    return isinstance(item, dict) and item.get("role") == TOOL and "tool_call_id" not in item


def _parse_output(raw: Any, role: str) -> list[Message]:
    found = parse_json(raw)
    return parse_messages(found, role) if found else []
