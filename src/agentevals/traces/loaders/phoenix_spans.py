"""Phoenix: spans as its API and its client return them, alone, in a list or in a page."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.traces.attribute_values import word
from agentevals.traces.reading import MalformedError, Record, read_object, spoken_turns
from agentevals.traces.reading.fact_evidence import require
from agentevals.traces.reading.trace_files_opened import MALFORMED, Recording

_FORMAT = "phoenix-spans"
_KIND = "openinference.span.kind"


def matches(record: Record) -> bool:
    """Return whether a record is a span of Phoenix, or begins with one."""
    return any(map(_is_span, _list_items(record.document)[:1]))


def _list_items(document: Any) -> list[Any]:
    if isinstance(document, dict) and "next_cursor" in document:
        document = document.get("data")
    return document if isinstance(document, list) else [document]


def _is_span(raw: Any) -> bool:
    return isinstance(raw, dict) and "span_kind" in raw and isinstance(raw.get("context"), dict)


def load(recording: Recording) -> Iterator[Trace]:
    """Yield the traces of every record. Spans of one trace may stand in several."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> Iterator[Trace]:
    items = _list_items(record.document)
    if not any(map(_is_span, items)):
        raise record.unlike(_FORMAT)
    found: dict[str, list[Span]] = {}
    for at, raw in enumerate(items):
        try:
            trace_id, span = _span(raw)
        except MALFORMED as error:
            recording.skip(f"[{at}]", error, line=record.line)
            continue
        found.setdefault(trace_id, []).append(span)
    for trace_id, spans in found.items():
        yield Trace(trace_id=trace_id, spans=tuple(spans), sources=(recording.name,))


def _span(raw: Any) -> tuple[str, Span]:
    if not isinstance(raw, dict):
        msg = "expected an object"
        raise MalformedError(msg)
    require(raw, "name", "context", "span_kind", "start_time", "end_time", of="a span")
    context = read_object(raw, "context")
    require(context, "trace_id", "span_id", of="the context of a span")
    attributes = dict(_flatten(read_object(raw, "attributes")))
    return word(context["trace_id"]), Span(
        span_id=word(context["span_id"]),
        parent_id=word(raw.get("parent_id")),
        name=word(raw["name"]),
        start_ns=spoken_turns.time_ns(raw["start_time"]),
        end_ns=spoken_turns.time_ns(raw["end_time"]),
        attributes={_KIND: word(raw["span_kind"])} | attributes,
        events=tuple(_event(event) for event in raw.get("events") or ()),
        failed=raw.get("status_code") == "ERROR",
        status_message=word(raw.get("status_message")),
    )


def _flatten(raw: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield attributes by the names that OpenInference has for them, nested or not."""
    for key, value in raw.items():
        listed = isinstance(value, list) and all(isinstance(each, dict) for each in value)
        within = dict(enumerate(value)) if listed else value
        if isinstance(within, dict) and within:
            yield from _flatten(within, f"{prefix}{key}.")
        elif value is not None:
            yield f"{prefix}{key}", value


def _event(raw: Any) -> SpanEvent:
    return SpanEvent(
        name=word(raw.get("name")),
        time_ns=spoken_turns.time_ns(raw.get("timestamp")),
        attributes=read_object(raw, "attributes"),
    )
