"""The spans and log records of a canonical OTLP document, sorted by trace."""

import base64
import binascii
import math
import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.model.results import Severity
from agentevals.traces.otlp import (
    Document,
    Event,
    Pair,
    RawLog,
    RawSpan,
    ResourceLogs,
    ResourceSpans,
    Scope,
    Value,
    decode_log,
    decode_outside,
    decode_span,
    decode_whole,
)
from agentevals.traces.reading import MalformedError
from agentevals.traces.reading.trace_files_opened import Recording

TRACE_ID, SPAN_ID = 16, 8  # bytes

_DIGITS = "0123456789abcdef"
_NO_TRACE_ID, _NO_SPAN_ID = "0" * 2 * TRACE_ID, "0" * 2 * SPAN_ID
_is_hex = re.compile("[0-9a-f]+").fullmatch
_DEEPEST = 64
_LONGEST_WHOLE = 2**20  # bytes of a document
_FAILED = frozenset({2, "2", "ERROR", "STATUS_CODE_ERROR"})
_NO_SCOPE = Scope()
DROPPED_ATTRIBUTES = "otel.dropped_attributes_count"
DROPPED_EVENTS = "otel.dropped_events_count"
_EVENT_NAMES = ("otel.event.name", "event.name")

# told where in the document something cannot be read, and why; may raise the error
Refuse = Callable[[str, ValueError], None]


def read(
    recording: Recording, encoded: bytes, *, line: int | None = None, forgiving: bool = True
) -> list[Trace]:
    """Return what the file means; None where a problem says why it means nothing."""

    def refuse(where: str, error: ValueError) -> None:
        if not forgiving:
            raise error
        recording.skip(where, error, line=line)

    harvest = _Harvest(refuse)
    # what is long is never whole in memory, and one bad span costs no other one
    whole = not forgiving and len(encoded) <= _LONGEST_WHOLE
    document: Document[Any, Any]
    document = decode_whole(encoded) if whole else decode_outside(encoded)
    traces = harvest.traces(document, source=recording.name)
    if count := harvest.nameless_spans:
        why = f"{count} spans without a trace id or a span id are skipped; they belong to no trace"
        recording.report(why, line=line, rule="skipped-span", severity=Severity.WARNING)
    if count := harvest.stray_logs:
        why = f"{count} log records without a trace id are skipped; they belong to no trace"
        recording.report(why, line=line, rule="skipped-log", severity=Severity.NOTE)
    return traces


class _Harvest:
    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self._spans: defaultdict[str, list[Span]] = defaultdict(list)
        self._logs: defaultdict[str, list[SpanEvent]] = defaultdict(list)
        self._warnings: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.nameless_spans = self.stray_logs = 0

    def traces(self, document: Document[Any, Any], *, source: str) -> list[Trace]:
        """Return the traces by their first span; traces that have only log records come last."""
        for at, spans in enumerate(document.resource_spans):
            self._add_spans(spans, at)
        for at, logs in enumerate(document.resource_logs):
            self._add_logs(logs, at)
        sources, no_logs, no_warnings = (source,), (), ()
        return [
            Trace(
                trace_id=trace_id,
                spans=tuple(found),
                logs=tuple(self._logs.get(trace_id, no_logs)),
                sources=sources,
                warnings=tuple(self._warnings.get(trace_id, no_warnings)),
            )
            for trace_id, found in self._spans.items()
        ]

    def _add_spans(self, group: ResourceSpans[Any], outer: int) -> None:
        resource = _read_attributes(group.resource.attributes) if group.resource else {}
        for inner, scope_spans in enumerate(group.scope_spans):
            scope = scope_spans.scope or _NO_SCOPE
            for at, span in enumerate(scope_spans.spans):
                try:
                    raw = span if type(span) is RawSpan else decode_span(span)
                    self._add_span(raw, resource, scope)
                except ValueError as error:
                    where = f"resourceSpans[{outer}].scopeSpans[{inner}].spans[{at}]"
                    self._refuse(where, error)

    def _add_span(self, raw: RawSpan, resource: dict[str, Any], scope: Scope) -> None:
        trace_id, span_id, parent_id = raw.trace_id, raw.span_id, raw.parent_span_id
        is_known = trace_id in self._spans or _is_trace_id(trace_id)
        if not is_known or not _is_span_id(span_id):
            trace_id, span_id = self._normal_ids(raw)
            if not trace_id or not span_id:
                self.nameless_spans += 1
                return
        if parent_id and not _is_span_id(parent_id):
            parent_id = normalize_id(parent_id, SPAN_ID)
        status = raw.status
        attributes = _read_attributes(raw.attributes)
        if raw.dropped_attributes_count or raw.dropped_events_count:
            attributes |= _count_dropped(raw)
        span = Span(
            span_id=span_id,
            name=raw.name,
            parent_id=parent_id,
            start_ns=raw.start_time_unix_nano,
            end_ns=raw.end_time_unix_nano,
            attributes=attributes,
            resource=resource,
            scope=scope.name,
            scope_version=scope.version,
            events=tuple([_event(event) for event in raw.events]) if raw.events else (),
            failed=status is not None and status.code in _FAILED,
            status_message=status.message if status is not None else "",
        )
        self._spans[trace_id].append(span)

    def _normal_ids(self, raw: RawSpan) -> tuple[str, str]:
        trace_id = normalize_id(raw.trace_id, TRACE_ID)
        span_id = normalize_id(raw.span_id, SPAN_ID)
        if trace_id and not _is_trace_id(trace_id):
            self._warnings[trace_id][f"trace id {trace_id!r} is not 32 hexadecimal digits"] = None
        if trace_id and span_id and not _is_span_id(span_id):
            self._warnings[trace_id][f"span id {span_id!r} is not 16 hexadecimal digits"] = None
        return trace_id, span_id

    def _add_logs(self, group: ResourceLogs[Any], outer: int) -> None:
        for inner, scope_logs in enumerate(group.scope_logs):
            for at, log in enumerate(scope_logs.log_records):
                try:
                    self._add_log(log if type(log) is RawLog else decode_log(log))
                except ValueError as error:
                    where = f"resourceLogs[{outer}].scopeLogs[{inner}].logRecords[{at}]"
                    self._refuse(where, error)

    def _add_log(self, raw: RawLog) -> None:
        trace_id = normalize_id(raw.trace_id, TRACE_ID)
        if not trace_id:
            self.stray_logs += 1
            return
        found = _read_attributes(raw.attributes)
        names = (raw.event_name, *(found.get(key) for key in _EVENT_NAMES))
        log = SpanEvent(
            name=next((name for name in names if name and isinstance(name, str)), ""),
            time_ns=raw.time_unix_nano or raw.observed_time_unix_nano,
            attributes=found,
            body=_convert(raw.body) if raw.body else None,
            span_id=normalize_id(raw.span_id, SPAN_ID),
        )
        self._spans[trace_id] += ()  # a trace of which nothing but logs is here has a place too
        self._logs[trace_id].append(log)


def _is_trace_id(text: str) -> bool:
    return len(text) == 2 * TRACE_ID and not text.strip(_DIGITS) and text != _NO_TRACE_ID


def _is_span_id(text: str) -> bool:
    return len(text) == 2 * SPAN_ID and not text.strip(_DIGITS) and text != _NO_SPAN_ID


def _count_dropped(raw: RawSpan) -> dict[str, int]:
    """Return what the SDK has dropped, as OpenTelemetry names it in formats without a field."""
    return {
        DROPPED_ATTRIBUTES: raw.dropped_attributes_count,
        DROPPED_EVENTS: raw.dropped_events_count,
    }


def _event(raw: Event) -> SpanEvent:
    return SpanEvent(
        name=raw.name, time_ns=raw.time_unix_nano, attributes=_read_attributes(raw.attributes)
    )


def normalize_id(raw: str, size: int) -> str:
    """Return the id as `size` bytes in hexadecimal; one that is something else stays as it is."""
    text = raw.strip()
    digits = text.lower().removeprefix("0x")
    if not digits.strip("0"):
        return ""
    if len(digits) == 2 * size and _is_hex(digits):
        return digits
    decoded = _decode_base64(text)
    if len(decoded) != size:
        return text
    return decoded.hex() if any(decoded) else ""


def _decode_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _read_attributes(pairs: list[Pair]) -> dict[str, Any]:
    """The last of several values of one key wins."""
    found: dict[str, Any] = {}
    for pair in pairs:
        value = pair.value
        if value is not None:
            content: Any = (
                value.string_value
            )  # most are text, and a call for each would double the cost
            if content is None:
                content = value.int_value
            found[pair.key] = _convert(value) if content is None else content
    return found


def _convert(value: Value, depth: int = 0) -> Any:
    """Return None for a value of no kind, and for a number without end."""
    if value.int_value is not None:
        return value.int_value
    if value.double_value is not None:
        return value.double_value if math.isfinite(value.double_value) else None
    if value.array_value is not None or value.kvlist_value is not None:
        return _convert_nested(value, depth + 1)
    kinds = (value.string_value, value.bool_value, value.bytes_value)
    return next((content for content in kinds if content is not None), None)


def _convert_nested(value: Value, depth: int) -> Any:
    if depth > _DEEPEST:
        msg = f"an attribute is nested deeper than {_DEEPEST} levels"
        raise MalformedError(msg)
    if value.array_value is not None:
        return [_convert(item, depth) for item in value.array_value.values]
    pairs = value.kvlist_value.values if value.kvlist_value else []
    return {pair.key: _convert(pair.value or Value(), depth) for pair in pairs}
