"""Trace files that tests write."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentevals.traces import loaders

TRACE = "0af7651916cd43dd8448eb211c80319c"
OTHER = "5b8aa5a2d2c872e8321cf37308d69df2"


def span(number: int = 1, **fields: Any) -> dict[str, Any]:
    """A span whose id is that number."""
    return {"traceId": TRACE, "spanId": f"{number:016x}", "name": f"span {number}", **fields}


def export(*spans: Any) -> dict[str, Any]:
    """An OTLP export of these spans."""
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def write(path: Path, *documents: Any) -> Path:
    """A file with a document on each line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def names(recordings: loaders.Recordings) -> list[list[str]]:
    """The names of the spans of every trace."""
    return [[span.name for span in trace.spans] for trace in recordings.traces]


def sentences(recordings: loaders.Recordings, *, without: Path | str = "") -> list[str]:
    """What there is to say, as a person reads it."""
    return [str(found).replace(f"{without}/", "") for found in recordings.findings]


def rules(recordings: loaders.Recordings) -> Iterable[tuple[str, str]]:
    return [(found.severity.value, found.rule) for found in recordings.findings]
