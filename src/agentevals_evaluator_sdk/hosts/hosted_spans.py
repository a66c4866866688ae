"""Recorded spans as those that have ended: real ones where OpenTelemetry is at hand, else ours."""

import sys
from hashlib import blake2b
from importlib import import_module
from typing import Any

from agentevals_evaluator_sdk.standins.uipath import standin_spans as ours

_SDK = "opentelemetry.sdk.trace"


class _Kinds:
    """The classes that spans are made of, of one origin."""

    def __init__(self) -> None:
        sdk: Any = sys.modules.get(_SDK)
        real = sdk is not None and sdk.ReadableSpan is not ours.ReadableSpan
        api: Any = import_module("opentelemetry.trace") if real else ours
        resources: Any = import_module("opentelemetry.sdk.resources") if real else ours
        trace: Any = sdk if real else ours
        scopes: Any = import_module("opentelemetry.sdk.util.instrumentation") if real else ours
        self.span, self.event = trace.ReadableSpan, trace.Event
        self.context, self.status, self.code = api.SpanContext, api.Status, api.StatusCode
        self.resource, self.scope = resources.Resource, scopes.InstrumentationScope


def build_spans(recorded: list[dict[str, Any]]) -> list[Any]:
    """The spans, in the order in which they were recorded."""
    kinds = _Kinds()
    return [_build_span(kinds, one) for one in recorded]


def _build_span(kinds: _Kinds, one: dict[str, Any]) -> Any:
    code = kinds.code.ERROR if one["failed"] else kinds.code.UNSET
    return kinds.span(
        name=one["name"],
        context=kinds.context(trace_id=1, span_id=_read_number(one["span_id"]), is_remote=False),
        parent=_build_parent(kinds, one["parent_id"]),
        resource=kinds.resource(one["resource"]),
        attributes=one["attributes"],
        events=[
            kinds.event(name=e["name"], attributes=e["attributes"], timestamp=e["time_ns"])
            for e in one["events"]
        ],
        status=kinds.status(code, one["status_message"] or None if one["failed"] else None),
        start_time=one["start_ns"],
        end_time=one["end_ns"],
        instrumentation_scope=kinds.scope(""),  # recordings do not have it
    )


def _build_parent(kinds: _Kinds, text: str) -> Any:
    if not text:
        return None
    return kinds.context(trace_id=1, span_id=_read_number(text), is_remote=False)


def _read_number(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return int.from_bytes(blake2b(text.encode(errors="replace"), digest_size=8).digest())
