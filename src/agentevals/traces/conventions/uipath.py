"""UiPath: functions under `@traced`, and what `uipath eval` wraps around an agent."""

import json
from collections.abc import Sequence
from typing import Any

from agentevals.model.conversations import Span, SpanEvent
from agentevals.traces.conventions import Kind, Reading
from agentevals.traces.messages import Message
from agentevals.traces.values import parse_json

CONVERSATION_KEYS: tuple[str, ...] = ()

_TYPE, _EVAL, _FUNCTION = "span_type", "eval", "function_call"
_IN, _OUT = "input.value", "output.value"
_WRAPPED = {"input"}  # the argument of an entry point is an object of that name


def speaks(span: Span, logs: Sequence[SpanEvent]) -> bool:  # noqa: ARG001 -- a seam has one signature
    kind = span.attributes.get(_TYPE)
    return isinstance(kind, str) and (kind == _EVAL or kind.startswith(_FUNCTION))


def read(reading: Reading) -> None:
    """The outermost of these is the agent: it took the question and gave the answer."""
    attributes = reading.span.attributes
    if reading.kind is Kind.NONE and not reading.ignored:
        reading.kind = Kind.WORKFLOW
    reading.input_sources.append((_IN, _parse_input, attributes.get(_IN)))
    reading.output_sources.append((_OUT, _parse_text, attributes.get(_OUT)))


def _parse_input(raw: Any, role: str) -> list[Message]:
    found = parse_json(raw)
    is_wrapped = isinstance(found, dict) and found.keys() == _WRAPPED
    return _parse_text(found["input"] if is_wrapped else raw, role)


def _parse_text(raw: Any, role: str) -> list[Message]:
    """Return a text as it stands, also one in JSON; anything else as JSON."""
    found = parse_json(raw)
    if isinstance(found, str):
        return [Message(role, found)] if found else []
    if isinstance(raw, str):
        return [Message(role, raw)]
    return [] if raw is None else [Message(role, json.dumps(raw, ensure_ascii=False))]
