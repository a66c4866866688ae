"""Bodies of OTLP requests: unpacked, decoded, and cut into one document per trace."""

import json
import re
import zlib
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict, MessageToJson, ParseDict
from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

LARGEST = 64 * 2**20  # bytes of one request, packed or not
_HEX_ID = re.compile(r"(?!0{32})[0-9a-f]{32}")
_ZLIB_OR_GZIP = 32 + zlib.MAX_WBITS
_ID_KEYS = ("traceId", "spanId", "parentSpanId")


class BodyError(ValueError):
    """A body that is not what it says it is."""


class TooLargeError(BodyError):
    """A body beyond what any exporter sends."""


class Signal(NamedTuple):
    """One of the two signals we keep, with the names that OTLP gives its levels."""

    resources: str
    scopes: str
    records: str
    request: type[Message]
    response: type[Message]


TRACES = Signal(
    "resourceSpans", "scopeSpans", "spans", ExportTraceServiceRequest, ExportTraceServiceResponse
)
LOGS = Signal(
    "resourceLogs", "scopeLogs", "logRecords", ExportLogsServiceRequest, ExportLogsServiceResponse
)


class Piece(NamedTuple):
    """The part of a request that belongs to one trace; without an id it belongs to none."""

    trace_id: str
    document: dict[str, Any]
    records: int


def unpack(body: bytes, encoding: str) -> bytes:
    """Decompress a body, up to the largest size."""
    if encoding in ("", "identity"):
        return body
    if encoding not in ("gzip", "deflate"):
        msg = f"content encoding {encoding!r} is not supported; use gzip"
        raise BodyError(msg)
    unpacker = zlib.decompressobj(_ZLIB_OR_GZIP)
    try:
        plain = unpacker.decompress(body, LARGEST + 1)
    except zlib.error as error:
        msg = f"the body is not {encoding}"
        raise BodyError(msg) from error
    if len(plain) > LARGEST:
        raise TooLargeError
    return plain


def decode(body: bytes, kind: Signal, *, is_json: bool) -> dict[str, Any]:
    """A request as OTLP JSON, whichever way it was sent."""
    try:
        if is_json:
            document = json.loads(body)
        else:
            message = kind.request()
            message.ParseFromString(body)
            document = MessageToDict(message, use_integers_for_enums=True)
    except (DecodeError, ValueError, RecursionError) as error:
        msg = "the body is not an OTLP request"
        raise BodyError(msg) from error
    if not isinstance(document, dict):
        msg = "the body is not an object"
        raise BodyError(msg)
    return document


def build_confirmation(kind: Signal, refused: int, *, is_json: bool) -> bytes:
    """OTLP's answer: empty when everything was kept, else how many records were not."""
    answer = kind.response()
    if refused:
        counted = "rejectedSpans" if kind is TRACES else "rejectedLogRecords"
        why = "without a trace id, or beyond what one recording keeps"
        ParseDict({"partialSuccess": {counted: refused, "errorMessage": why}}, answer)
    return MessageToJson(answer).encode() if is_json else answer.SerializeToString()


def split_by_trace(document: dict[str, Any], kind: Signal) -> Iterator[Piece]:
    """A request holds whatever was waiting; a file of ours holds one trace."""
    pieces: dict[str, list[dict[str, Any]]] = {}
    counts: dict[str, int] = {}
    for resource in _objects(document, kind.resources):
        for scope in _objects(resource, kind.scopes):
            for trace_id, records in _group(scope, kind).items():
                part = {**resource, kind.scopes: [{**scope, kind.records: records}]}
                pieces.setdefault(trace_id, []).append(part)
                counts[trace_id] = counts.get(trace_id, 0) + len(records)
    for trace_id, parts in pieces.items():
        yield Piece(trace_id, {kind.resources: parts}, counts[trace_id])


def _group(scope: dict[str, Any], kind: Signal) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = {}
    for given in _objects(scope, kind.records):
        record = _convert_ids(given)
        for link in _objects(record, "links"):
            link.update(_convert_ids(link))
        trace_id = record.get("traceId", "")
        known = isinstance(trace_id, str) and _HEX_ID.fullmatch(trace_id)
        grouped.setdefault(trace_id if known else "", []).append(record)
    return grouped


def _objects(parent: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    found = parent.get(key)
    if isinstance(found, list):
        yield from (item for item in found if isinstance(item, dict))


def _convert_ids(record: dict[str, Any]) -> dict[str, Any]:
    """Protobuf's own JSON writes bytes as base64; OTLP wants ids in hexadecimal."""
    ids = {key: _hex(record[key]) for key in _ID_KEYS if isinstance(record.get(key), str)}
    return {**record, **ids}


def _hex(text: str) -> str:
    if re.fullmatch(r"[0-9a-fA-F]{16}|[0-9a-fA-F]{32}", text):
        return text.lower()
    try:
        return b64decode(text, validate=True).hex()
    except (Base64Error, ValueError):
        return text
