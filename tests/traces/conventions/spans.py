"""Spans of a trace by number, and what they are read as."""

from collections.abc import Mapping
from typing import Any

from agentevals.model.conversations import Conversation, Span, Trace
from agentevals.traces.turns import converse


def make_span(at: int, name: str, parent: int, scope: str, attributes: Mapping[str, Any]) -> Span:
    """Return the span that begins as number `at`, below that of number `parent` if there is one."""
    return Span(
        span_id=f"{at:02}",
        parent_id=f"{parent:02}" if parent else "",
        name=name,
        start_ns=at,
        end_ns=100 - at,
        scope=scope,
        attributes=dict(attributes),
    )


def read(*spans: Span) -> Conversation:
    """Return the only conversation of a trace with these spans."""
    [conversation] = converse([Trace(trace_id="t", spans=spans)])
    return conversation
