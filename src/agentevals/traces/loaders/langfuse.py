"""Langfuse: traces and observations as its API returns them, alone, in a list or in a page."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from agentevals.model.conversations import Span, Trace
from agentevals.traces.attribute_values import word
from agentevals.traces.reading import MalformedError, Record, spoken_turns
from agentevals.traces.reading.fact_evidence import require
from agentevals.traces.reading.trace_files_opened import MALFORMED, Recording

_FORMAT = "langfuse"
_SCOPE = "langfuse-sdk"
_PREFIX = "langfuse.observation."
_OBSERVATION, _TRACE = (
    frozenset({"id", "traceId", "type", "startTime"}),
    frozenset({"id", "timestamp", "observations"}),
)
# what the API calls a fact, and the attribute of it in the spans of Langfuse's SDK
_ATTRIBUTES = {
    "input": f"{_PREFIX}input",
    "output": f"{_PREFIX}output",
    "level": f"{_PREFIX}level",
    "statusMessage": f"{_PREFIX}status_message",
    "model": f"{_PREFIX}model.name",
    "providedModelName": f"{_PREFIX}model.name",
    "usageDetails": f"{_PREFIX}usage_details",
    "costDetails": f"{_PREFIX}cost_details",
    "sessionId": "langfuse.session.id",
}


def matches(record: Record) -> bool:
    """Return whether a record is a trace or an observation, or begins with one."""
    return any(map(_is_known, _list_items(record.document)[:1]))


def _list_items(document: Any) -> list[Any]:
    if isinstance(document, dict) and "data" in document and "meta" in document:
        document = document["data"]
    return document if isinstance(document, list) else [document]


def _is_known(item: Any) -> bool:
    return isinstance(item, dict) and (item.keys() >= _OBSERVATION or item.keys() >= _TRACE)


def load(recording: Recording) -> Iterator[Trace]:
    """Yield the traces of every record. Observations of one trace may stand in several."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> Iterator[Trace]:
    items = _list_items(record.document)
    if not any(map(_is_known, items)):
        raise record.unlike(_FORMAT)
    found: dict[str, list[Span]] = {}
    for raw, session in _list_observations(items):
        try:
            trace_id, span = _span(raw, session)
        except MALFORMED as error:
            name = raw.get("id") if isinstance(raw, dict) else raw
            recording.skip(f"the observation {name!r}", error, line=record.line)
            continue
        found.setdefault(trace_id, []).append(span)
    for trace_id, spans in found.items():
        yield Trace(trace_id=trace_id, spans=tuple(spans), sources=(recording.name,))


def _list_observations(items: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield observations, each with the session of its trace."""
    for item in items:
        if not isinstance(item, dict) or "observations" not in item:
            yield item, None
            continue
        within = item["observations"]
        if not isinstance(within, list) or not all(isinstance(each, dict) for each in within):
            msg = (
                f"the trace {item.get('id')!r} has only the ids of its observations; get it alone, "
                "from /api/public/traces/ID"
            )
            raise MalformedError(msg)
        for each in within:
            yield each, item.get("sessionId")


def _span(raw: Any, session: Any) -> tuple[str, Span]:
    if not isinstance(raw, dict):
        msg = "expected an object"
        raise MalformedError(msg)
    require(raw, "id", "traceId", "type", "startTime", of="an observation")
    given = {"sessionId": session} | {k: v for k, v in raw.items() if v is not None}
    attributes = {name: _write(given.get(key)) for key, name in _ATTRIBUTES.items()}
    metadata = raw.get("metadata")
    for key, value in (metadata if isinstance(metadata, dict) else {}).items():
        attributes[f"{_PREFIX}metadata.{key}"] = _write(value)
    start = spoken_turns.time_ns(raw["startTime"])
    return word(raw["traceId"]), Span(
        span_id=word(raw["id"]),
        parent_id=word(raw.get("parentObservationId")),
        name=word(raw.get("name")),
        start_ns=start,
        end_ns=max(start, spoken_turns.time_ns(raw.get("endTime"))),
        attributes={f"{_PREFIX}type": word(raw["type"]).lower()}
        | {name: value for name, value in attributes.items() if value is not None},
        scope=_SCOPE,
        failed=raw.get("level") == "ERROR",
        status_message=word(raw.get("statusMessage")),
    )


def _write(value: Any) -> Any:
    """Return a value as an attribute of a span holds it."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
