"""Storage of recorded traces while a command runs, and their final files."""

import re
import threading
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Self

from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from agentevals.model.errors import InputError
from agentevals.model.provenance import Provenance
from agentevals.text.json_text import encode
from agentevals.traces.recorder.recording_provenance import stamp

_MOST_TRACES = 100_000
_MOST_BYTES = 16 * 2**30
_HEX_ID = re.compile(r"(?!0{32})[0-9a-f]{32}")
_ID_KEYS = ("traceId", "spanId", "parentSpanId")


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


@dataclass
class Counts:
    """Numbers of received records, and of those that could not be kept."""

    requests: int = 0
    traces: int = 0
    records: int = 0
    without_trace: int = 0
    beyond_limits: int = 0
    refused: int = 0
    refusal: str = ""


class Storage:
    """One growing file per trace, in a folder of its own until the recording is finished.

    File names are trace ids, which are 32 hexadecimal digits, and the number of a further attempt:
    nothing that an agent says.
    """

    def __init__(self, target: Path) -> None:
        self.counts = Counts()
        self._target, self._provenance = target, Provenance()
        self._lock = threading.Lock()
        self._order: dict[str, None] = {}
        self._changed: dict[Path, None] = {}
        self._bytes = 0

    def __enter__(self) -> Self:
        folder = self._folder
        try:
            blocked = self._target.is_dir() if self._is_one_file else self._target.is_file()
            if blocked:
                msg = f"{self._target}: is in the way; choose another place with -o"
                raise InputError(msg)
            folder.mkdir(parents=True, exist_ok=True)
            self._temporary = TemporaryDirectory(dir=folder, prefix=".recording-")
        except OSError as error:
            raise self._explain_unwritable(error) from None
        return self

    def __exit__(self, *_error: object) -> None:
        self._temporary.cleanup()

    @property
    def _is_one_file(self) -> bool:
        return self._target.suffix == ".jsonl"

    @property
    def _folder(self) -> Path:
        return self._target.parent if self._is_one_file else self._target

    def begin_attempt(self, provenance: Provenance) -> None:
        """Say where everything comes from that arrives from now on."""
        self._provenance = provenance

    def refuse(self, why: str) -> None:
        """Count a request of which nothing could be read."""
        with self._lock:
            self.counts.refused += 1
            self.counts.refusal = why

    def add(self, pieces: Iterable[Piece]) -> int:
        """Store the records, and return how many of them could not be kept."""
        refused = 0
        with self._lock:
            self.counts.requests += 1
            for piece in pieces:
                refused += 0 if self._add(piece) else piece.records
        return refused

    def _add(self, piece: Piece) -> bool:
        if not piece.trace_id:
            self.counts.without_trace += piece.records
            return False
        for resources in piece.document.values():
            stamp(resources, self._provenance)
        line = encode(piece.document) + b"\n"
        self._bytes += len(line)
        name = self._name_file(piece.trace_id)
        is_new = name not in self._order
        if self._bytes > _MOST_BYTES or (is_new and len(self._order) >= _MOST_TRACES):
            self.counts.beyond_limits += piece.records
            return False
        self._order.setdefault(name)
        self.counts.traces = len(self._order)
        with self._path(name).open("ab") as file:
            file.write(line)
        self._changed[self._path(name)] = None
        self.counts.records += piece.records
        return True

    def take_changed(self) -> Iterable[Path]:
        """Return the files that have grown since this was asked last."""
        with self._lock:
            changed, self._changed = self._changed, {}
        return changed

    def _name_file(self, trace_id: str) -> str:
        """Name the file of a trace: an agent may use the same ids in each attempt."""
        attempt = self._provenance.attempt
        return f"{trace_id}-{attempt}" if attempt and attempt > 1 else trace_id

    def _path(self, name: str) -> Path:
        return Path(self._temporary.name) / f"{name}.jsonl"

    def finish(self) -> tuple[Path, ...]:
        """Put the files in their place, in the order in which the traces began to arrive."""
        with self._lock:
            try:
                return self._move_files()
            except OSError as error:  # the command may have removed the folder, or filled the disk
                raise self._explain_unwritable(error) from None

    def _move_files(self) -> tuple[Path, ...]:
        if self._is_one_file and self._order:
            return (self._join_files(),)
        moved = []
        for name in self._order:
            place = self._folder / f"{name}.jsonl"
            self._path(name).replace(place)
            moved.append(place)
        return tuple(moved)

    def _explain_unwritable(self, error: OSError) -> InputError:
        why = f"cannot be written to: {error.strerror}; choose another place with -o"
        return InputError(f"{self._folder}: {why}")

    def _join_files(self) -> Path:
        whole = Path(self._temporary.name) / "all"
        with whole.open("wb") as file:
            for name in self._order:
                with self._path(name).open("rb") as part:
                    copyfileobj(part, file)
        whole.replace(self._target)
        return self._target


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
