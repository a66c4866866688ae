"""The Agent2Agent protocol: its SDK writes a span for each of its functions, and none is work."""

from collections.abc import Sequence

from agentevals.model.conversations import Span, SpanEvent
from agentevals.traces.conventions import Kind, Reading

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPE = "a2a-python-sdk"


def speaks(span: Span, logs: Sequence[SpanEvent]) -> bool:  # noqa: ARG001 -- a seam has one signature
    return span.scope == _SCOPE


def read(reading: Reading) -> None:
    """Let the agents around and below a message be read as if it were not there."""
    reading.kind = Kind.SERVICE
