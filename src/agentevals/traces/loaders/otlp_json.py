"""OTLP as JSON and JSON Lines: exports in every known spelling, bare spans, and mixtures."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import json

from agentevals.files.spool import make_storable
from agentevals.model.conversations import Trace
from agentevals.traces.otlp import otlp_spans
from agentevals.traces.reading import Record
from agentevals.traces.reading.trace_files_opened import Recording

_FORMAT = "otlp-json"
_looks_canonical = re.compile(rb'\s*\{\s*"resource(?:Spans|Logs)"').match
_KINDS = (
    "stringValue", "intValue", "doubleValue", "boolValue", "arrayValue", "kvlistValue",
    "bytesValue",
)  # fmt: skip
_TIMES = ("startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "observedTimeUnixNano")
_TIMES_OF_LOGS = _TIMES[2:]
_PLAIN = (
    "traceId", "spanId", "parentSpanId", "name", "version", "eventName", "code", "message",
    "droppedAttributesCount", "droppedEventsCount",
)  # fmt: skip
_NODES = ("resource", "scope", "status")
# what a list holds, and what its items must have
_LISTS: dict[str, dict[str, Any]] = {
    "resourceSpans": {"scopeSpans": []},
    "scopeSpans": {"spans": []},
    "spans": {"traceId": "", "spanId": ""},
    "events": {},
    "resourceLogs": {"scopeLogs": []},
    "scopeLogs": {"logRecords": []},
    "logRecords": {},
}
_OLD_NAMES = {
    "batches": "resourceSpans",
    "instrumentationLibrarySpans": "scopeSpans",
    "instrumentationLibraryLogs": "scopeLogs",
    "instrumentationLibrary": "scope",
    "instrumentationScope": "scope",
    "logs": "logRecords",
}


_SESSION = "mlflow.trace.session"  # MLflow notes it beside the spans


def matches(record: Record) -> bool:
    """Return whether a record is an export, a span or an array of spans."""
    return bool(_looks_canonical(record.data)) or _is_known(record.document)


def load(recording: Recording) -> Iterator[Trace]:
    """Return the traces of every record; a trace may come in several pieces."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> list[Trace]:
    """Most exports are canonical. The forgiving way is the slow one: it builds the document."""
    if _looks_canonical(record.data):
        try:
            return otlp_spans.read(recording, record.data, forgiving=False)
        except (ValueError, RecursionError):
            pass  # what is wrong, if anything is, will be said below
    if not _is_known(record.document):
        raise record.unlike(_FORMAT)
    canonical = json.encode(make_storable(_rename(record.document), depth=2**16))
    return otlp_spans.read(recording, canonical, line=record.line)


def _add_snake_case(names: dict[str, str]) -> dict[str, str]:
    snakes = ("".join(f"_{c.lower()}" if c.isupper() else c for c in name) for name in names)
    return dict(zip(snakes, names.values(), strict=True)) | names


_NAMES = _add_snake_case(
    _OLD_NAMES | {name: name for name in (*_LISTS, *_NODES, *_TIMES, *_PLAIN, "attributes", "body")}
)
_KIND_NAMES = _add_snake_case({kind: kind for kind in _KINDS})
_EXPORTS = frozenset({"resourceSpans", "resourceLogs"})
_IDS = frozenset({"traceId", "spanId"})


def _is_known(document: Any) -> bool:
    document, _ = _unpack(document)
    if isinstance(document, list):
        return bool(document) and all(isinstance(i, dict) and _is_span(i) for i in document)
    return isinstance(document, dict) and (_is_export(_unwrap(document)) or _is_span(document))


def _unpack(document: Any) -> tuple[Any, dict[str, Any]]:
    """Return the spans in a page of Phoenix, or in a trace of MLflow with what it knows of it."""
    data = document.get("data") if isinstance(document, dict) else None
    if isinstance(data, list) and "next_cursor" in document:
        return data, {}
    if not isinstance(data, dict) or not isinstance(data.get("spans"), list):
        return document, {}
    info = document.get("info")
    noted = info.get("trace_metadata") if isinstance(info, dict) else None
    return data["spans"], noted if isinstance(noted, dict) else {}


def _rename(document: Any) -> Any:
    document, noted = _unpack(document)
    if isinstance(document, list):
        groups = _groups([item for item in document if not _is_log(item)])
        for group in groups if _SESSION in noted else ():
            group["resource"] = {"attributes": _attributes({_SESSION: noted[_SESSION]})}
        return {"resourceSpans": groups, "resourceLogs": _group_logs(document)}
    export = _unwrap(document)
    return _node(export) if _is_export(export) else _rename([document])


def _unwrap(document: dict[str, Any]) -> dict[str, Any]:
    inner = document.get("trace")
    return inner if isinstance(inner, dict) else document


def _is_export(document: dict[str, Any]) -> bool:
    return any(_NAMES.get(key) in _EXPORTS for key in document)


def _is_span(document: dict[str, Any]) -> bool:
    return any(_NAMES.get(key) in _IDS for key in document)


def _is_log(item: Any) -> bool:
    """Return whether a record with the ids of a span is a log record: it has a body or one time."""
    names = {_NAMES.get(key) for key in item} if isinstance(item, dict) else set()
    return bool(names & {"body", *_TIMES_OF_LOGS}) and _TIMES[0] not in names


def _group_logs(items: list[Any]) -> list[Any]:
    """Return log records without an export around them, as CloudWatch keeps them beside spans."""
    found = [_node(item) for item in items if _is_log(item)]
    return [{"scopeLogs": [{"logRecords": found}]}] if found else []


def _groups(spans: list[Any]) -> list[Any]:
    """Return spans without an export around them; each may name its own resource and scope."""
    groups: list[Any] = []
    previous: Any = None
    for raw in spans:
        span = _node(raw, **_LISTS["spans"])
        around = span.get("resource"), span.get("scope")
        if around != previous:
            resource, scope = previous = around
            groups.append({"resource": resource, "scopeSpans": [{"scope": scope, "spans": []}]})
        groups[-1]["scopeSpans"][0]["spans"].append(span)
    return groups


def _node(raw: Any, **missing: Any) -> Any:
    """Return an object with canonical names; the typed document refuses anything else."""
    if not isinstance(raw, dict):
        return raw
    for key, value in raw.items():
        name = _NAMES.get(key)
        if name is not None and value is not None:
            missing[name] = _content(name, value)
    return missing


def _content(name: str, value: Any) -> Any:
    if name in _LISTS and isinstance(value, list):
        return [_node(item, **_LISTS[name]) for item in value]
    return _CONTENTS.get(name, _same)(value)


def _same(value: Any) -> Any:
    return value


def _time(value: Any) -> Any:
    """Proto3 leaves out zeros, some exporters write them as nothing, others write floats."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if value != "" else 0


def _attributes(raw: Any) -> Any:
    if isinstance(raw, dict):
        return list(_flatten(raw))
    return [_pair(item) for item in raw] if isinstance(raw, list) else raw


def _flatten(raw: dict[str, Any], prefix: str = "") -> Iterator[dict[str, Any]]:
    """Attributes as an object, nested or not: the keys of all levels, joined with dots."""
    for key, value in raw.items():
        if isinstance(value, dict) and value and not _KIND_NAMES.keys() & value.keys():
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield {"key": prefix + key, "value": _value(value)}


def _pair(raw: Any) -> Any:
    if not isinstance(raw, dict) or "value" not in raw:
        return raw
    return {**raw, "value": _value(raw["value"])}


def _value(raw: Any) -> Any:
    """Return an AnyValue, also for a value that is written as itself."""
    if isinstance(raw, dict):
        kinds = {_KIND_NAMES[key]: value for key, value in raw.items() if key in _KIND_NAMES}
        if kinds or not raw:
            return {kind: _NESTED.get(kind, _same)(content) for kind, content in kinds.items()}
        return {"kvlistValue": _pairs(raw)}
    if isinstance(raw, list):
        return {"arrayValue": _array(raw)}
    fitting = make_storable(raw)
    kind = _KIND_OF.get(type(fitting))
    return {kind: fitting} if kind else {}


def _array(raw: Any) -> Any:
    items = raw.get("values") if isinstance(raw, dict) else raw
    return {"values": [_value(item) for item in items]} if isinstance(items, list) else raw


def _pairs(raw: Any) -> Any:
    items = raw.get("values") if isinstance(raw, dict) else raw
    if isinstance(items, list):
        return {"values": [_pair(item) for item in items]}
    if isinstance(raw, dict):
        return {"values": [{"key": key, "value": _value(value)} for key, value in raw.items()]}
    return raw


_NESTED: dict[str, Callable[[Any], Any]] = {"arrayValue": _array, "kvlistValue": _pairs}
_KIND_OF = {str: "stringValue", bool: "boolValue", int: "intValue", float: "doubleValue"}
_CONTENTS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_NODES, _node),
    **dict.fromkeys(_TIMES, _time),
    "attributes": _attributes,
    "body": _value,
}
