"""UiPath: functions under `@traced`, and what `uipath eval` wraps around an agent."""

import json
from collections.abc import Sequence
from typing import Any

from agentevals.model.conversations import Span, SpanEvent
from agentevals.traces.spans import Kind, Reading
from agentevals.traces.spans.messages import ASSISTANT, USER, Message
from agentevals.traces.spans.values import parsed

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
    reading.heard_in.append((_IN, _heard, attributes.get(_IN)))
    reading.spoken_in.append((_OUT, _spoken, attributes.get(_OUT)))


def _heard(raw: Any) -> list[Message]:
    found = parsed(raw)
    if isinstance(found, dict) and found.keys() == _WRAPPED:
        raw = found["input"]
    return _said(raw, USER)


def _spoken(raw: Any) -> list[Message]:
    return _said(raw, ASSISTANT)


def _said(raw: Any, role: str) -> list[Message]:
    """A text as it stands, also one in JSON; anything else as JSON."""
    found = parsed(raw)
    if isinstance(found, str):
        return [Message(role, found)] if found else []
    if isinstance(raw, str):
        return [Message(role, raw)]
    return [] if raw is None else [Message(role, json.dumps(raw, ensure_ascii=False))]
