"""UiPath: functions under `@traced`, and what `uipath eval` wraps around an agent."""

import json
from typing import Any

from agentevals.model.conversations import Span
from agentevals.traces.attribute_values import parse_json, word
from agentevals.traces.chat_messages import Message, build_message
from agentevals.traces.conventions import Kind, Reading, Shape, Verdict
from agentevals.traces.reading.uipath_items import EXECUTION

CONVERSATION_KEYS: tuple[str, ...] = ()

_TYPE, _EVAL, _FUNCTION = "span_type", "eval", "function_call"
_IN, _OUT = "input.value", "output.value"
_TOOL = "tool.name"
_WRAPPED = {"input"}  # the argument of an entry point is an object of that name


def speaks(shape: Shape) -> Verdict:
    is_either = _TYPE in shape.keys or shape.keys >= {_TOOL, EXECUTION}
    return _is_function_or_call if is_either else False


def _is_function_or_call(span: Span) -> bool:
    kind = span.attributes.get(_TYPE)
    is_function = isinstance(kind, str) and (kind == _EVAL or kind.startswith(_FUNCTION))
    return is_function or _is_call(span)


def _is_call(span: Span) -> bool:
    """Return whether `uipath eval` takes the span for a call of a tool, whatever made it."""
    return bool(span.attributes.get(_TOOL)) and EXECUTION in span.attributes


def read(reading: Reading) -> None:
    """The outermost of these is the agent: it took the question and gave the answer."""
    attributes = reading.span.attributes
    if _is_call(reading.span):
        _read_call(reading, attributes)
        return
    if reading.kind is Kind.NONE and not reading.ignored:
        reading.kind = Kind.WORKFLOW
    reading.input_sources.append((_IN, _parse_input, attributes.get(_IN)))
    reading.output_sources.append((_OUT, _parse_text, attributes.get(_OUT)))


def _read_call(reading: Reading, attributes: dict[str, Any]) -> None:
    if reading.kind is not Kind.NONE:
        return  # an instrumentation has said more
    reading.kind, reading.tool = Kind.TOOL, str(attributes[_TOOL])
    reading.call_id = word(attributes.get("tool.id")) or None
    reading.args, reading.result = parse_json(attributes.get(_IN)), attributes.get(_OUT)


def _parse_input(raw: Any, role: str) -> list[Message]:
    found = parse_json(raw)
    is_wrapped = isinstance(found, dict) and found.keys() == _WRAPPED
    return _parse_text(found["input"] if is_wrapped else raw, role)


def _parse_text(raw: Any, role: str) -> list[Message]:
    """Return a text as it stands, also one in JSON; anything else as JSON."""
    found = parse_json(raw)
    if isinstance(found, str):
        return [build_message(found, role)] if found else []
    if isinstance(raw, str):
        return [build_message(raw, role)]
    return [] if raw is None else [Message(role, json.dumps(raw, ensure_ascii=False))]
