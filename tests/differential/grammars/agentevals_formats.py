"""Spans as files: OTLP as JSON, and what Jaeger exports."""

from collections import defaultdict
from typing import Any

from tests.differential.grammars.agentevals_spans import Span


def write_otlp(spans: list[Span], scope: str, resource: dict[str, Any]) -> dict[str, Any]:
    """One document of OTLP."""
    described = {"attributes": _write_attributes({"service.name": "demo", **resource})}
    written = [_write_span(span) for span in spans]
    scoped = [{"scope": {"name": scope}, "spans": written}]
    return {"resourceSpans": [{"resource": described, "scopeSpans": scoped}]}


def _write_span(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace,
        "spanId": span.id,
        **({"parentSpanId": span.parent} if span.parent else {}),
        "name": span.name,
        "kind": 1,
        "startTimeUnixNano": str(span.start),
        "endTimeUnixNano": str(span.end),
        "attributes": _write_attributes(span.attributes),
        **({"status": {"code": 2}} if span.failed else {}),
    }


def _write_attributes(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"intValue": str(v)} if isinstance(v, int) else {"stringValue": v}}
        for key, v in told.items()
    ]


def write_jaeger(spans: list[Span], scope: str, resource: dict[str, Any]) -> dict[str, Any]:
    """One document of Jaeger, with all traces."""
    traces = defaultdict(list)
    for span in spans:
        traces[span.trace].append(_write_jaeger_span(span, scope))
    process = {"serviceName": "demo", "tags": _write_tags(resource)}
    return {
        "data": [
            {"traceID": trace, "spans": listed, "processes": {"p1": process}}
            for trace, listed in traces.items()
        ]
    }


def _write_jaeger_span(span: Span, scope: str) -> dict[str, Any]:
    parent = {"refType": "CHILD_OF", "traceID": span.trace, "spanID": span.parent}
    error = [{"key": "error", "type": "bool", "value": True}] if span.failed else []
    return {
        "traceID": span.trace,
        "spanID": span.id,
        "operationName": span.name,
        "references": [parent] if span.parent else [],
        "startTime": span.start // 1000,
        "duration": (span.end - span.start) // 1000,
        "tags": [*_write_tags({"otel.scope.name": scope, **span.attributes}), *error],
        "logs": [],
        "processID": "p1",
    }


def _write_tags(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "type": "int64" if isinstance(v, int) else "string", "value": v}
        for key, v in told.items()
    ]
