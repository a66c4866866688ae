"""AgentV's execution traces (`agentv.trace.v1`): spans, and the messages in events of the root."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from agentevals.model.conversations import Span, SpanEvent, Trace, Turn
from agentevals.traces.attribute_values import count, word
from agentevals.traces.reading import MalformedError, Record, agentv_rows, agentv_turns, read_object
from agentevals.traces.reading.fact_evidence import require
from agentevals.traces.reading.trace_files_opened import Recording

_FORMAT = "agentv.trace.v1"
_VERSION = "agentv.trace."
_MESSAGE = "agentv.transcript.message"
_FAILED = frozenset({"ERROR", "STATUS_CODE_ERROR"})
_USAGE = {
    "input": "gen_ai.usage.input_tokens",
    "output": "gen_ai.usage.output_tokens",
    "cached": "gen_ai.usage.cache_read.input_tokens",
    "reasoning": "gen_ai.usage.reasoning.output_tokens",
}

Fields = dict[str, Any]


def matches(record: Record) -> bool:
    """Return whether a record is such a trace."""
    document = record.document
    return isinstance(document, dict) and word(document.get("schema_version")).startswith(_VERSION)


def load(recording: Recording) -> Iterator[Trace]:
    """Return a trace per record."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> Iterator[Trace]:
    if not matches(record):
        raise record.unlike(_FORMAT)
    document = record.document
    body = read_object(document, "trace") or document
    spans = tuple(map(_span, _objects(body, "spans")))
    about = read_object(document, "eval") or document
    name = word(body.get("trace_id")) or word(about.get("test_id")) or recording.path.name
    root = next((span for span in spans if not span.parent_id), None)
    error, warnings = agentv_rows.read_failure(_read_outcome(root))
    turns = None if error or root is None else _turns(root, name)
    yield Trace(
        trace_id=name,
        spans=() if error else spans,
        turns=() if error else turns,
        error=error,
        case_id=word(about.get("test_id")),
        sources=(recording.name,),
        warnings=tuple(warnings),
    )


def _read_outcome(root: Span | None) -> Fields:
    """Return how a test ended, from its span, with the keys of a row of the results."""
    if root is None:
        return {}
    names = ("execution_status", "failure_stage")
    told = {name: root.attributes.get(f"agentv.{name}") for name in names}
    return {**told, "error": root.status_message}


def _turns(root: Span, name: str) -> tuple[Turn, ...] | None:
    """The messages say more than the spans do, where their contents were captured."""
    events = [e.attributes for e in root.events if e.name == _MESSAGE]
    for attributes in events:
        require(attributes, _MESSAGE, of="a message of the transcript")
    events.sort(key=lambda attributes: count(attributes.get(f"{_MESSAGE}.index")) or 0)
    messages = [m for attributes in events if isinstance(m := attributes.get(_MESSAGE), dict)]
    if not any("content" in message for message in messages):
        return None
    told = {
        "usage": {key: root.attributes[of] for key, of in _USAGE.items() if of in root.attributes},
        "cost": root.attributes.get("agentv.trace.cost_usd"),
    }
    totals = agentv_turns.read_totals(
        told,
        usage="usage",
        cost="cost",
        duration="duration",
        agent=word(root.attributes.get("agentv.target")),
    )
    timed = replace(totals, start_ns=root.start_ns, end_ns=root.end_ns)
    return agentv_turns.build_turns(messages, name, timed)


def _span(raw: Fields) -> Span:
    status = read_object(raw, "status")
    code = status.get("code")
    return Span(
        span_id=word(raw.get("span_id")),
        name=word(raw.get("name")),
        parent_id=word(raw.get("parent_span_id")),
        start_ns=count(raw.get("start_time_unix_nano")) or 0,
        end_ns=count(raw.get("end_time_unix_nano")) or 0,
        attributes=read_object(raw, "attributes"),
        events=tuple(map(_event, _objects(raw, "events"))),
        failed=code == 2 or (isinstance(code, str) and code in _FAILED),  # noqa: PLR2004 -- OTLP's number
        status_message=word(status.get("message")),
    )


def _event(raw: Fields) -> SpanEvent:
    require(raw, "name", of="an event")
    return SpanEvent(
        name=word(raw.get("name")),
        time_ns=count(raw.get("time_unix_nano")) or 0,
        attributes=read_object(raw, "attributes"),
    )


def _objects(raw: Fields, key: str) -> list[Fields]:
    value = raw.get(key)
    items = value if isinstance(value, list) else []
    if (value is not None and value is not items) or not all(isinstance(i, dict) for i in items):
        msg = f"expected an array of objects - at `$.{key}`"
        raise MalformedError(msg)
    return items
