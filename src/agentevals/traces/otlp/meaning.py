"""What a canonical OTLP document says: its spans and log records, sorted by trace."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.model.results import Severity
from agentevals.traces.otlp import ids
from agentevals.traces.otlp.document import (
    Document,
    Event,
    RawLog,
    RawSpan,
    ResourceLogs,
    ResourceSpans,
    decode,
    decode_log,
    decode_span,
)
from agentevals.traces.otlp.values import attributes, plain
from agentevals.traces.reading.recording import Recording

_FAILED = frozenset({2, "2", "ERROR", "STATUS_CODE_ERROR"})
_EVENT_NAMES = ("otel.event.name", "event.name")

# told where in the document something cannot be read, and why; may raise the error
Refuse = Callable[[str, ValueError], None]


def read(
    recording: Recording, encoded: bytes, *, line: int | None = None, forgiving: bool = True
) -> list[Trace]:
    """The traces of a canonical document. When forgiving, a span that does not fit costs itself."""

    def refuse(where: str, error: ValueError) -> None:
        if not forgiving:
            raise error
        recording.leave_out(where, error, line=line)

    harvest = _Harvest(refuse)
    traces = harvest.traces(decode(encoded), source=recording.name)
    if count := harvest.nameless_spans:
        why = f"{count} spans without a trace id or a span id are left out; they belong to no trace"
        recording.say(why, line=line, rule="skipped-span", severity=Severity.WARNING)
    if count := harvest.stray_logs:
        why = f"{count} log records without a trace id are left out; they belong to no trace"
        recording.say(why, line=line, rule="skipped-log", severity=Severity.NOTE)
    return traces


class _Harvest:
    """The traces of one document, while they are gathered."""

    def __init__(self, refuse: Refuse) -> None:
        self._refuse = refuse
        self._spans: defaultdict[str, list[Span]] = defaultdict(list)
        self._logs: defaultdict[str, list[SpanEvent]] = defaultdict(list)
        self._warnings: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.nameless_spans = self.stray_logs = 0

    def traces(self, document: Document, *, source: str) -> list[Trace]:
        """In the order of their first span; those that are only logged about come last."""
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

    def _add_spans(self, group: ResourceSpans, outer: int) -> None:
        resource = attributes(group.resource.attributes) if group.resource else {}
        for inner, scope_spans in enumerate(group.scope_spans):
            scope = scope_spans.scope.name if scope_spans.scope else ""
            for at, encoded in enumerate(scope_spans.spans):
                try:
                    self._add_span(decode_span(encoded), resource, scope)
                except ValueError as error:
                    where = f"resourceSpans[{outer}].scopeSpans[{inner}].spans[{at}]"
                    self._refuse(where, error)

    def _add_span(self, raw: RawSpan, resource: dict[str, Any], scope: str) -> None:
        trace_id, span_id, parent_id = raw.trace_id, raw.span_id, raw.parent_span_id
        if not ids.is_trace_id(trace_id) or not ids.is_span_id(span_id):
            trace_id, span_id = self._normal_ids(raw)
            if not trace_id or not span_id:
                self.nameless_spans += 1
                return
        if parent_id and not ids.is_span_id(parent_id):
            parent_id = ids.normal(parent_id, ids.SPAN)
        status = raw.status
        span = Span(
            span_id=span_id,
            name=raw.name,
            parent_id=parent_id,
            start_ns=raw.start_time_unix_nano,
            end_ns=raw.end_time_unix_nano,
            attributes=attributes(raw.attributes),
            resource=resource,
            scope=scope,
            events=tuple([_event(event) for event in raw.events]) if raw.events else (),
            failed=status is not None and status.code in _FAILED,
            status_message=status.message if status is not None else "",
        )
        self._spans[trace_id].append(span)

    def _normal_ids(self, raw: RawSpan) -> tuple[str, str]:
        trace_id, span_id = ids.normal(raw.trace_id, ids.TRACE), ids.normal(raw.span_id, ids.SPAN)
        if trace_id and not ids.is_trace_id(trace_id):
            self._warnings[trace_id][f"trace id {trace_id!r} is not 32 hexadecimal digits"] = None
        if trace_id and span_id and not ids.is_span_id(span_id):
            self._warnings[trace_id][f"span id {span_id!r} is not 16 hexadecimal digits"] = None
        return trace_id, span_id

    def _add_logs(self, group: ResourceLogs, outer: int) -> None:
        for inner, scope_logs in enumerate(group.scope_logs):
            for at, encoded in enumerate(scope_logs.log_records):
                try:
                    self._add_log(decode_log(encoded))
                except ValueError as error:
                    where = f"resourceLogs[{outer}].scopeLogs[{inner}].logRecords[{at}]"
                    self._refuse(where, error)

    def _add_log(self, raw: RawLog) -> None:
        trace_id = ids.normal(raw.trace_id, ids.TRACE)
        if not trace_id:
            self.stray_logs += 1
            return
        found = attributes(raw.attributes)
        names = (raw.event_name, *(found.get(key) for key in _EVENT_NAMES))
        log = SpanEvent(
            name=next((name for name in names if name and isinstance(name, str)), ""),
            time_ns=raw.time_unix_nano or raw.observed_time_unix_nano,
            attributes=found,
            body=plain(raw.body) if raw.body else None,
            span_id=ids.normal(raw.span_id, ids.SPAN),
        )
        self._spans[trace_id] += ()  # a trace of which nothing but logs is here has a place too
        self._logs[trace_id].append(log)


def _event(raw: Event) -> SpanEvent:
    return SpanEvent(
        name=raw.name, time_ns=raw.time_unix_nano, attributes=attributes(raw.attributes)
    )
