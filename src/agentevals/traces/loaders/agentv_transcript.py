"""AgentV's transcripts (`agentv.transcript.v1`): one message to a line, by test."""

from collections.abc import Iterator
from typing import Any

from agentevals.model.conversations import Trace
from agentevals.traces.attribute_values import word
from agentevals.traces.reading import MalformedError, Record, agentv_rows
from agentevals.traces.reading.fact_evidence import require
from agentevals.traces.reading.trace_files_opened import Recording

_FORMAT = "a row of agentv.transcript.v1"
_VERSION = "agentv.transcript."

Fields = dict[str, Any]


def matches(record: Record) -> bool:
    """Return whether a record is such a row; the earliest releases did not write a version."""
    row = record.document
    if not isinstance(row, dict) or "role" not in row:
        return False
    return word(row.get("schema_version")).startswith(_VERSION) or row.keys() >= {
        "test_id",
        "message_index",
    }


def load(recording: Recording) -> Iterator[Trace]:
    """Yield a trace per test, in the order in which the tests come."""
    rows: dict[tuple[str, str], list[Fields]] = {}

    def read(record: Record) -> Iterator[Trace]:
        row = record.document
        if not matches(record):
            raise record.unlike(_FORMAT)
        if not isinstance(row["role"], str):
            msg = "has a 'role' that is no text; it is skipped"
            raise MalformedError(msg)
        require(row, "test_id", "message_index", of="a message")
        rows.setdefault((word(row.get("target")), word(row.get("test_id"))), []).append(row)
        return iter(())

    yield from recording.each(read)
    unnamed = {test_id for target, test_id in rows if not target}
    if any(target and test_id in unnamed for target, test_id in rows):
        msg = "has rows of a test with and without 'target'; record it again with all fields"
        raise MalformedError(msg)
    for (_, test_id), found in rows.items():
        yield agentv_rows.build_trace(found, test_id, recording.name)
