"""Spans as files: OTLP as JSON in every shape that is read, and what Jaeger exports."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from pydantic.alias_generators import to_snake

from tests.differential.grammars.agentevals_spans import Span


def write_otlp(spans: list[Span], scope: str, resource: dict[str, Any], shape: str) -> Any:
    """One file of OTLP, in one of the shapes."""
    described = {"attributes": _write_attributes({"service.name": "demo", **resource})}
    written = [_write_span(span) for span in spans]
    return SHAPES[shape]({"resource": described}, {"scope": {"name": scope}}, written)


def _write_document(resource: Any, scope: Any, spans: list[Any], key: str = "resourceSpans") -> Any:
    return {key: [resource | {"scopeSpans": [scope | {"spans": spans}]}]}


def _write_snake(resource: Any, scope: Any, spans: list[Any]) -> Any:
    return _spell_snake(_write_document(resource, scope, spans))


def _spell_snake(value: Any) -> Any:
    if isinstance(value, dict):
        return {to_snake(key): _spell_snake(inner) for key, inner in value.items()}
    return [_spell_snake(inner) for inner in value] if isinstance(value, list) else value


def _write_lines(resource: Any, scope: Any, spans: list[Any]) -> Any:
    return {LINES: [_write_document(resource, scope, [span]) for span in spans]}


def _write_library(resource: Any, scope: Any, spans: list[Any]) -> Any:
    library = {"instrumentationLibrary": scope["scope"], "spans": spans}
    return {"batches": [resource | {"instrumentationLibrarySpans": [library]}]}


LINES = "lines"  # the key of documents that are written one to a line
SHAPES: dict[str, Callable[[Any, Any, list[Any]], Any]] = {
    "document": _write_document,
    "lines": _write_lines,
    "bare spans": lambda _resource, _scope, spans: spans,
    "batches": lambda *given: _write_document(*given, key="batches"),
    "trace": lambda *given: {"trace": _write_document(*given)},
    "library": _write_library,
    "snake case": _write_snake,
}


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
        **({"events": _write_events(span)} if span.events else {}),
        **({"status": {"code": 2}} if span.failed else {}),
    }


def _write_events(span: Span) -> list[dict[str, Any]]:
    return [
        {"name": name, "timeUnixNano": str(span.end), "attributes": _write_attributes(told)}
        for name, told in span.events.items()
    ]


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
        "logs": [
            {"timestamp": span.end // 1000, "fields": _write_tags({"event": name, **told})}
            for name, told in span.events.items()
        ],
        "processID": "p1",
    }


def _write_tags(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "type": "int64" if isinstance(v, int) else "string", "value": v}
        for key, v in told.items()
    ]
