"""Log records, given to the spans of the requests that they are about."""

from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.traces.conventions import Kind, claude_code, read_span


def assign(trace: Trace) -> dict[str, list[SpanEvent]]:
    """Return log records by span. Those without one are of the request, if there is just one."""
    found: dict[str, list[SpanEvent]] = {}
    settled = claude_code.settle(trace.spans, trace.logs)
    for record in sorted(settled, key=lambda record: record.time_ns):
        found.setdefault(record.span_id, []).append(record)
    stray = found.pop("", None)
    if stray:
        requests = [span.span_id for span in trace.spans if _is_request(span)]
        if len(requests) == 1:
            own = found.setdefault(requests[0], [])
            own += stray
            own.sort(key=lambda record: record.time_ns)
    return found


def _is_request(span: Span) -> bool:
    reading = read_span(span)
    return reading is not None and reading.kind is Kind.INFERENCE
