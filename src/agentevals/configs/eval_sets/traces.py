"""Traces that were given in the place of an eval set."""

from typing import Any

MISTAKEN = (
    "this is a trace, not an eval set; name it after 'run', and give --eval-set a file with "
    "'eval_cases'"
)
_KEYS = {"resourceSpans", "resource_spans", "resourceLogs", "batches"}


def is_trace(record: dict[str, Any]) -> bool:
    """Return whether it is what OTLP or Jaeger writes."""
    traces = record.get("data")
    first = traces[0] if isinstance(traces, list) and traces else None
    return bool(record.keys() & _KEYS) or (isinstance(first, dict) and "spans" in first)
