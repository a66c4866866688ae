"""`uipath eval --output-file --verbose`: what the agent did with each item of an eval set."""

import hashlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.traces.attribute_values import amount, word
from agentevals.traces.reading import (
    MalformedError,
    NoTraceError,
    Record,
    read_object,
    uipath_items,
)
from agentevals.traces.reading.fact_evidence import require
from agentevals.traces.reading.trace_files_opened import MALFORMED, Recording

_FORMAT = "uipath-output"
_RESULTS, _OUTPUT = "evaluationSetResults", "agentExecutionOutput"
_SILENT = (
    "holds scores and no executions, so there is nothing to score; run 'uipath eval' with "
    "--verbose beside --output-file, or give its --trace-file"
)
_DIGITS = 8
_SPAN = "agentExecutionOutput.trace.spans"


def matches(record: Record) -> bool:
    """Return whether a record holds the results of an eval set."""
    return isinstance(record.document, dict) and _RESULTS in record.document


def load(recording: Recording) -> Iterator[Trace]:
    """Return a trace for each item that was executed."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> Iterator[Trace]:
    if not matches(record):
        raise record.unlike(_FORMAT)
    results = record.document[_RESULTS]
    if not isinstance(results, list):
        msg = f"expected an array - at `$.{_RESULTS}`"
        raise MalformedError(msg)
    if not any(isinstance(result, dict) and result.get(_OUTPUT) for result in results):
        raise NoTraceError(_SILENT)
    for at, result in enumerate(results):
        try:
            yield _trace(recording, _check(result), at)
        except MALFORMED as error:
            recording.skip(f"{_RESULTS}[{at}]", error, line=record.line)


def _check(result: Any) -> dict[str, Any]:
    if not isinstance(result, dict):
        msg = "expected an object"
        raise MalformedError(msg)
    if not result.get(_OUTPUT):
        msg = "it has no execution; run it with --verbose"
        raise MalformedError(msg)
    return result


def _trace(recording: Recording, result: dict[str, Any], at: int) -> Trace:
    execution = read_object(result, _OUTPUT)
    raw = read_object(execution, "trace").get("spans") or ()
    spans = uipath_items.keep_agent_spans(
        _link([_span(each, n) for n, each in enumerate(raw, start=1)])
    )
    ended = read_object(execution, "result")
    name = word(result.get("evaluationName"))
    case_id = next(filter(None, map(uipath_items.read_execution, spans)), name)
    digest = hashlib.sha256(msgspec.json.encode(execution)).hexdigest()
    found = uipath_items.build_trace(
        spans,
        # several executions of one item have no names of their own
        trace_id=f"{recording.path.name}/{case_id or at}/{digest[:_DIGITS]}",
        case_id=case_id,
        source=recording.name,
        given=uipath_items.find_boundary(spans, "input.value"),
        output=ended.get("output"),
        failure=_failure(ended),
    )
    return _set_duration(found, int((amount(execution.get("execution_time")) or 0) * 1e9))


def _span(raw: Any, number: int) -> tuple[Span, str]:
    """Return a span, which has neither an id nor a time, and the name of its parent.

    They are written in the order in which they ended.
    """
    if not isinstance(raw, dict):
        msg = f"expected an array of objects - at `$.{_SPAN}`"
        raise MalformedError(msg)
    require(raw, "name", "parent_name", of="a span")
    events = raw.get("events") or ()
    span = Span(
        span_id=f"{number:016x}",
        name=word(raw.get("name")),
        start_ns=number,
        end_ns=number,
        attributes=read_object(raw, "attributes"),
        events=tuple(SpanEvent(name=word(e.get("name"))) for e in events if isinstance(e, dict)),
        failed=raw.get("status") == "error",
    )
    return span, word(raw.get("parent_name"))


def _link(named: list[tuple[Span, str]]) -> list[Span]:
    """A parent ends after its children: it is the next one of its name."""
    linked: list[Span] = []
    ending: dict[str, str] = {}
    for span, parent in reversed(named):
        linked.append(replace(span, parent_id=ending.get(parent, "")))
        ending[span.name] = span.span_id
    return linked[::-1]


def _set_duration(trace: Trace, took_ns: int) -> Trace:
    """Set the duration of the root: only the total is known."""
    last = max(trace.spans, key=lambda span: span.end_ns)
    root = next((s for s in trace.spans if s.attributes.get("span_type") == "eval"), last)
    whole = replace(root, start_ns=1, end_ns=max(took_ns, last.end_ns))
    return replace(trace, spans=tuple(whole if span is root else span for span in trace.spans))


def _failure(ended: dict[str, Any]) -> str:
    error = ended.get("error")
    if isinstance(error, dict):
        said = [word(error.get(key)) for key in ("title", "detail")]
        return ": ".join(filter(None, said))[:500] or "with an error"
    return word(error)[:500]
