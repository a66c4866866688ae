"""Every recording of the tests, and the same without one attribute or one field of a row."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agentevals.model.conversations import Conversation, Span, Trace
from agentevals.model.results import Severity
from agentevals.traces.loaders import LOADERS, load
from agentevals.traces.reading import Record
from agentevals.traces.reading.trace_files_opened import MALFORMED, Recording
from agentevals.traces.turns import converse
from tests.support import DATA, EXAMPLES

# formats of which a file is spans and their attributes; of the others it is rows and their fields
OF_SPANS = frozenset({"jaeger-json", "otlp-json", "otlp-protobuf"})

# an object under one of these keys is what the user's tools were given or gave: it is no format
OF_USERS = frozenset(
    {"action", "answer", "args", "arguments", "input", "output", "response"}
    | {"tool_calls", "tool_calls_by_name"}
)


class Sample(NamedTuple):
    """A recording: its file and its format; without a format it holds a trace as we store it."""

    path: Path
    trace_format: str = ""

    @property
    def is_of_spans(self) -> bool:
        """True if attributes of spans are what is taken away."""
        return not self.trace_format or self.trace_format in OF_SPANS

    @property
    def kind(self) -> str:
        """What it is a recording of: a format, or an instrumentation."""
        return self.trace_format or self.path.parts[-3]

    @property
    def name(self) -> str:
        return "-".join(self.path.parts[-3:])


class Reading(NamedTuple):
    """The conversations of a recording, and whether a finding says that something is wrong."""

    conversations: tuple[Conversation, ...]
    is_refused: bool = False


def list_samples() -> list[Sample]:
    """List every file that a test keeps as a recording, with those of the example."""
    found = [Sample(path) for path in sorted((DATA / "conventions").glob("*/*/trace.json"))]
    files = sorted((DATA / "traces").glob("*/*/*"))
    found += [Sample(path, path.parts[-3]) for path in files if path.name != "loaded.json"]
    spellings = sorted((DATA / "traces/spellings").iterdir())
    found += [Sample(path, "otlp-json") for path in spellings]
    return found + [Sample(path, "otlp-json") for path in sorted((EXAMPLES / "traces").iterdir())]


def read(sample: Sample) -> Reading:
    """Read all of it."""
    if sample.is_of_spans:
        return converse_all(_load_spans(sample))
    return _read_rows(sample, _list_rows(sample.path))


def lose_one(sample: Sample) -> Iterator[tuple[str, Reading]]:
    """Yield the place of each attribute or field, and what is read without it."""
    if sample.is_of_spans:
        traces = _load_spans(sample)
        for at, trace in enumerate(traces):
            for place, less in _lose_attribute(trace):
                yield place, converse_all([*traces[:at], less, *traces[at + 1 :]])
        return
    rows = _list_rows(sample.path)
    for at, row in enumerate(rows):
        for place, less in _lose_field(row):
            yield f"row {at + 1} {place}", _read_rows(sample, [*rows[:at], less, *rows[at + 1 :]])


def converse_all(traces: list[Trace], *, is_refused: bool = False) -> Reading:
    return Reading(tuple(converse(traces)), is_refused)


def _load_spans(sample: Sample) -> list[Trace]:
    if not sample.trace_format:
        return [msgspec.json.decode(sample.path.read_bytes(), type=Trace)]
    return list(load([sample.path], trace_format=sample.trace_format).traces)


def _list_rows(path: Path) -> list[Any]:
    lines = path.read_text().splitlines()
    return [json.loads(line) for line in lines] if path.suffix == ".jsonl" else [_parse(path)]


def _parse(path: Path) -> Any:
    found = json.loads(path.read_text())
    return json.loads(found) if isinstance(found, str) else found


def _read_rows(sample: Sample, rows: list[Any]) -> Reading:
    """As the file would be read, with the files beside it."""
    recording = Recording(sample.path)
    numbered = enumerate(rows, start=1)
    lines = len(rows) > 1
    recording.records = [Record(json.dumps(r).encode(), n if lines else None) for n, r in numbered]
    loader = LOADERS[sample.trace_format]
    if not loader.matches(recording.records[0]):
        return Reading((), is_refused=True)
    try:
        traces = list(loader.load(recording))
    except MALFORMED:
        return Reading((), is_refused=True)
    is_refused = any(each.severity is Severity.ERROR for each in recording.findings)
    return converse_all(traces, is_refused=is_refused)


def _lose_attribute(trace: Trace) -> Iterator[tuple[str, Trace]]:
    for place, span in enumerate(trace.spans):
        for what, less in _lose_of_span(span):
            spans = (*trace.spans[:place], less, *trace.spans[place + 1 :])
            yield f"{span.name}: {what}", replace(trace, spans=spans)
    for place, log in enumerate(trace.logs):
        for key in log.attributes:
            less = replace(log, attributes=_drop(log.attributes, key))
            logs = (*trace.logs[:place], less, *trace.logs[place + 1 :])
            yield f"log {log.name}: {key}", replace(trace, logs=logs)


def _lose_of_span(span: Span) -> Iterator[tuple[str, Span]]:
    for key in span.attributes:
        yield key, replace(span, attributes=_drop(span.attributes, key))
    for at, event in enumerate(span.events):
        for key in event.attributes:
            less = replace(event, attributes=_drop(event.attributes, key))
            events = (*span.events[:at], less, *span.events[at + 1 :])
            yield f"event {event.name}: {key}", replace(span, events=events)


def _drop(fields: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != key}


def _lose_field(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a document without one key, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f".{key}", _drop(value, key)
            if key in OF_USERS and isinstance(inner, dict):
                continue
            for place, less in _lose_field(inner):
                yield f".{key}{place}", {**value, key: less}
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            for place, less in _lose_field(inner):
                yield f"[{at}]{place}", [*value[:at], less, *value[at + 1 :]]
