"""OTLP as JSON and JSON Lines: exports in every known spelling, bare spans, and mixtures."""

import re
from collections.abc import Iterator
from functools import partial

from agentevals.model.conversations import Trace
from agentevals.traces.otlp import meaning, spelling
from agentevals.traces.reading.recording import Recording
from agentevals.traces.reading.records import Record

_FORMAT = "otlp-json"

_looks_canonical = re.compile(rb'\s*\{\s*"resource(?:Spans|Logs)"').match


def matches(record: Record) -> bool:
    """Return whether a record is an export, a span or an array of spans."""
    return bool(_looks_canonical(record.data)) or spelling.matches(record.document)


def load(recording: Recording) -> Iterator[Trace]:
    """The traces of every record; a trace may come in several pieces."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> list[Trace]:
    """Most exports are canonical. The forgiving way is the slow one: it builds the document."""
    if _looks_canonical(record.data):
        try:
            return meaning.read(recording, record.data, forgiving=False)
        except (ValueError, RecursionError):
            pass  # what is wrong, if anything is, will be said below
    if not spelling.matches(record.document):
        raise record.unlike(_FORMAT)
    return meaning.read(recording, spelling.make_canonical(record.document), line=record.line)
