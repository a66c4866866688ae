"""OTLP as protobuf: one message, or messages with their lengths before them."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from msgspec import json
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from agentevals.model.conversations import Trace
from agentevals.traces.otlp import otlp_spans
from agentevals.traces.reading import MalformedError, Record
from agentevals.traces.reading.trace_files_opened import Recording

_FORMAT = "otlp-protobuf"

_LENGTH = 4  # bytes of the length that OpenTelemetry's collector writes before a message
_LONGEST_VARINT = 5
_CUT_OFF = "ends in the middle of a message; it was cut off, record it again"

Data = TypeVar("Data", TracesData, LogsData)
# where the message that begins at an offset starts and ends
Framing = Callable[[bytes, int], tuple[int, int]]


def matches(record: Record) -> bool:
    """Return whether a record begins with a message that has spans or log records in it."""
    return _find_framing(record) is not None


def load(recording: Recording) -> Iterator[Trace]:
    """Return the traces of every message; a trace may come in several pieces."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> Iterator[Trace]:
    framing = _find_framing(record)
    if framing is None:
        raise record.unlike(_FORMAT)
    at = 0
    while at < len(record.data):
        start, at = framing(record.data, at)
        message = _message(record.data[start:at])
        if at > len(record.data) or message is None:
            raise MalformedError(_CUT_OFF)
        encoded = json.encode(MessageToDict(message))
        yield from otlp_spans.read(recording, encoded)


def _find_framing(record: Record) -> Framing | None:
    """Return how messages are separated, or None if the first one cannot be read."""
    if record.line is not None or not record.data:
        return None
    for framing in (_frame_whole, _frame_fixed, _frame_varint):
        start, end = framing(record.data, 0)
        if end <= len(record.data) and _message(record.data[start:end]) is not None:
            return framing
    return None


def _frame_whole(data: bytes, at: int) -> tuple[int, int]:
    return at, len(data)


def _frame_fixed(data: bytes, at: int) -> tuple[int, int]:
    start = at + _LENGTH
    return start, start + int.from_bytes(data[at:start])


def _frame_varint(data: bytes, at: int) -> tuple[int, int]:
    """Seven bits to a byte, the lowest first, and a high bit while more follow."""
    length = 0
    for place, byte in enumerate(data[at : at + _LONGEST_VARINT]):
        length |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:  # noqa: PLR2004 -- the high bit
            return at + place + 1, at + place + 1 + length
    return at, len(data) + 1


def _message(data: bytes) -> TracesData | LogsData | None:
    """Bytes that mean something else may happen to be a message, but one without ids."""
    traces, logs = _parse(TracesData, data), _parse(LogsData, data)
    if traces and any(
        len(span.trace_id) == otlp_spans.TRACE_ID
        for resource in traces.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ):
        return traces
    if logs and any(s.log_records for resource in logs.resource_logs for s in resource.scope_logs):
        return logs
    return None


def _parse(kind: type[Data], data: bytes) -> Data | None:
    try:
        return kind.FromString(data)
    except DecodeError:
        return None
