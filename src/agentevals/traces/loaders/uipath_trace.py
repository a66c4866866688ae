"""`uipath eval --trace-file`: OpenTelemetry's spans, one to a line, as its SDK prints them."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.traces.attribute_values import word
from agentevals.traces.reading import MalformedError, Record, read_object, uipath_items
from agentevals.traces.reading.fact_evidence import require
from agentevals.traces.reading.trace_files_opened import MALFORMED, Recording

_FORMAT = "uipath-trace"

Group = tuple[str, str]  # trace, item


def matches(record: Record) -> bool:
    """Return whether a record is a span, or an array of spans."""
    document = record.document
    found = document[0] if isinstance(document, list) and document else document
    return _is_span(found)


def load(recording: Recording) -> Iterator[Trace]:
    """Yield a trace for each item of an eval set; spans of no item make one by their trace id."""
    groups: dict[Group, list[Span]] = {}
    yield from recording.each(partial(_read, recording, groups))
    for (trace_id, item), spans in groups.items():
        found = uipath_items.keep_agent_spans(spans)
        if not item and found:
            yield Trace(trace_id=trace_id, spans=tuple(found), sources=(recording.name,))
        elif found:
            yield _execution(recording, f"{trace_id}/{item}", item, spans, found)


def _execution(
    recording: Recording, trace_id: str, item: str, spans: list[Span], found: list[Span]
) -> Trace:
    return uipath_items.build_trace(
        found,
        trace_id=trace_id,
        case_id=item,
        source=recording.name,
        given=uipath_items.find_input(spans) or uipath_items.find_boundary(found, "input.value"),
        output=uipath_items.find_output(found),
        failure=uipath_items.find_failure(found),
    )


def _read(recording: Recording, groups: dict[Group, list[Span]], record: Record) -> Iterator[Trace]:
    document = record.document
    items = document if isinstance(document, list) else [document]
    if not any(map(_is_span, items)):
        raise record.unlike(_FORMAT)
    for at, raw in enumerate(items):
        try:
            trace_id, span = _span(raw)
        except MALFORMED as error:
            where = f"[{at}]" if isinstance(document, list) else "the span"
            recording.skip(where, error, line=record.line)
            continue
        groups.setdefault((trace_id, uipath_items.read_execution(span)), []).append(span)
    yield from ()


def _is_span(raw: Any) -> bool:
    if not isinstance(raw, dict) or not isinstance(raw.get("context"), dict):
        return False
    return {"trace_id", "span_id"} <= raw["context"].keys() and "start_time" in raw


def _span(raw: Any) -> tuple[str, Span]:
    if not _is_span(raw):
        msg = "expected a span with its 'context'"
        raise MalformedError(msg)
    require(raw, "name", "parent_id", "attributes", of="a span")
    context, status = raw["context"], read_object(raw, "status")
    return _id(context["trace_id"]), Span(
        span_id=_id(context["span_id"]),
        name=word(raw.get("name")),
        parent_id=_id(raw.get("parent_id")),
        start_ns=_time(raw.get("start_time")),
        end_ns=_time(raw.get("end_time")),
        attributes=read_object(raw, "attributes"),
        resource=read_object(read_object(raw, "resource"), "attributes"),
        events=tuple(_event(event) for event in raw.get("events") or ()),
        failed=status.get("status_code") == "ERROR",
        status_message=word(status.get("description")),
    )


def _event(raw: Any) -> SpanEvent:
    if not isinstance(raw, dict):
        msg = "expected an array of objects - at `$.events`"
        raise MalformedError(msg)
    return SpanEvent(
        name=word(raw.get("name")),
        time_ns=_time(raw.get("timestamp")),
        attributes=read_object(raw, "attributes"),
    )


def _id(value: Any) -> str:
    return word(value).removeprefix("0x")


def _time(value: Any) -> int:
    """Return a time to the microsecond; a float of seconds would lose it."""
    if not isinstance(value, str):
        return 0
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return 0
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - datetime.fromtimestamp(
        0, UTC
    )
    return max(0, (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000)
