"""Jaeger's JSON: `{"data": [{"traceID": ..., "spans": [...], "processes": {...}}]}`."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated, Any

from msgspec import Meta, Raw, Struct, field, json

from agentevals.files.spool import make_storable
from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.model.results import Severity
from agentevals.traces.reading import Record
from agentevals.traces.reading.trace_files_opened import Recording

_FORMAT = "jaeger-json"

_NS_PER_US = 1000
_MICROSECONDS = Annotated[int, Meta(ge=0, le=2**63 // (2 * _NS_PER_US))]
_SCOPES = ("otel.scope.name", "otel.library.name")
_VERSIONS = ("otel.scope.version", "otel.library.version")
_STATUS, _STATUS_MESSAGE = "otel.status_code", "otel.status_description"
# tags for which a span has a field, or which mean nothing here
_NOT_ATTRIBUTES = frozenset({*_SCOPES, *_VERSIONS, _STATUS, _STATUS_MESSAGE, "span.kind"})


class Tag(Struct, gc=False):
    """A typed value with a name."""

    key: str
    type: str = ""
    value: Any = None


class Reference(Struct, gc=False):
    """Another span, to which this one belongs in some way."""

    kind: str = field(name="refType", default="")
    span_id: str = field(name="spanID", default="")


class Log(Struct, gc=False):
    """An event within a span."""

    timestamp: _MICROSECONDS = 0
    fields: list[Tag] = []


class Process(Struct, gc=False):
    """The process that recorded a span."""

    service: str = field(name="serviceName", default="")
    tags: list[Tag] | None = None


class JaegerSpan(Struct, gc=False):
    """A span as recorded."""

    span_id: str = field(name="spanID")
    trace_id: str = field(name="traceID", default="")
    name: str = field(name="operationName", default="")
    parent_id: str = field(name="parentSpanID", default="")
    references: list[Reference] | None = None
    start: _MICROSECONDS = field(name="startTime", default=0)
    duration: _MICROSECONDS = 0
    tags: list[Tag] | None = None
    logs: list[Log] | None = None
    process: str = field(name="processID", default="")


class JaegerTrace(Struct, gc=False):
    """Spans, and the processes that they name."""

    spans: list[Raw]
    trace_id: str = field(name="traceID", default="")
    processes: dict[str, Process] | None = None


class Export(Struct, gc=False):
    """A whole export."""

    data: list[JaegerTrace]


_looks_like = re.compile(rb'\s*\{\s*"data"\s*:\s*\[\s*\{\s*"(?:traceID|spans)"').match
_decode = json.Decoder(Export, strict=False).decode
_decode_span = json.Decoder(JaegerSpan, strict=False).decode


def matches(record: Record) -> bool:
    """Return whether a record is an export, or one trace out of it."""
    return bool(_looks_like(record.data)) or _is_jaeger(record.document)


def _is_jaeger(document: Any) -> bool:
    if not isinstance(document, dict):
        return False
    data = document.get("data")
    if isinstance(data, list):
        return all(isinstance(trace, dict) and "spans" in trace for trace in data)
    return "traceID" in document and "spans" in document


def load(recording: Recording) -> Iterator[Trace]:
    """Return the traces of every record."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> Iterator[Trace]:
    for at, raw in enumerate(_document(record).data):
        yield from _traces(recording, record, raw, at)


def _document(record: Record) -> Export:
    if _looks_like(record.data):
        try:
            return _decode(record.data)
        except (ValueError, RecursionError):
            pass  # what is wrong, if anything is, will be said below
    document = record.document
    if not _is_jaeger(document):
        raise record.unlike(_FORMAT)
    export = document if "data" in document else {"data": [document]}
    return _decode(json.encode(make_storable(export)))


def _traces(recording: Recording, record: Record, raw: JaegerTrace, number: int) -> Iterator[Trace]:
    resources = {name: _resource(process) for name, process in (raw.processes or {}).items()}
    found: dict[str, list[Span]] = {}
    for at, encoded in enumerate(raw.spans):
        try:
            trace_id, span = _span(_decode_span(encoded), resources)
        except ValueError as error:
            recording.skip(f"data[{number}].spans[{at}]", error, line=record.line)
            continue
        trace_id = trace_id or _id(raw.trace_id)
        if trace_id and span.span_id:
            found.setdefault(trace_id, []).append(span)
        else:
            why = f"data[{number}].spans[{at}] has no trace id or no span id; it is skipped"
            recording.report(why, line=record.line, rule="skipped-span", severity=Severity.WARNING)
    for trace_id, spans in found.items():
        yield Trace(trace_id=trace_id, spans=tuple(spans), sources=(recording.name,))


def _resource(process: Process) -> dict[str, Any]:
    named = {"service.name": process.service} if process.service else {}
    return named | _attributes(process.tags)


def _span(raw: JaegerSpan, resources: dict[str, dict[str, Any]]) -> tuple[str, Span]:
    tags = _attributes(raw.tags)
    start = raw.start * _NS_PER_US
    parents = (to.span_id for to in raw.references or () if to.kind == "CHILD_OF")
    return _id(raw.trace_id), Span(
        span_id=_id(raw.span_id),
        name=raw.name,
        parent_id=_id(next(parents, raw.parent_id)),
        start_ns=start,
        end_ns=start + raw.duration * _NS_PER_US,
        attributes={key: value for key, value in tags.items() if key not in _NOT_ATTRIBUTES},
        resource=resources.get(raw.process, {}),
        scope=_find_text(tags, _SCOPES),
        scope_version=_find_text(tags, _VERSIONS),
        events=tuple([_event(log) for log in raw.logs or ()]),
        failed=tags.get(_STATUS) == "ERROR" or tags.get("error") in (True, "true"),
        status_message=str(tags.get(_STATUS_MESSAGE, "")),
    )


def _find_text(tags: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((str(tags[key]) for key in keys if key in tags), "")


def _event(log: Log) -> SpanEvent:
    found = _attributes(log.fields)
    name = str(found.pop("event", "log"))
    return SpanEvent(name=name, time_ns=log.timestamp * _NS_PER_US, attributes=found)


def _id(raw: str) -> str:
    digits = raw.strip().lower()
    return digits if digits.strip("0") else ""


def _attributes(tags: Iterable[Tag] | None) -> dict[str, Any]:
    return {tag.key: _value(tag) for tag in tags or ()}


def _value(tag: Tag) -> Any:
    """Jaeger writes numbers as text where JSON would round them."""
    value = tag.value
    if not isinstance(value, str):
        return make_storable(value) if isinstance(value, int) else value
    if tag.type == "int64":
        return make_storable(int(value))
    if tag.type == "bool":
        return value == "true"
    return float(value) if tag.type == "float64" else value
