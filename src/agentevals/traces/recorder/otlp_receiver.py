"""An OTLP receiver over HTTP on a free loopback port, for as long as a command runs."""

import json
import re
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from google.protobuf.json_format import MessageToDict, MessageToJson, ParseDict
from google.protobuf.message import DecodeError

from agentevals.text.redaction import Redactor
from agentevals.traces.recorder.recording_redaction import redact_document
from agentevals.traces.recorder.recording_storage import (
    LOGS,
    TRACES,
    Signal,
    Storage,
    split_by_trace,
)

LARGEST = 64 * 2**20  # bytes of one request, packed or not
_ZLIB_OR_GZIP = 32 + zlib.MAX_WBITS
_PATIENCE = 10.0  # seconds for requests that are under way when the command has ended
_SILENCE = 60.0  # seconds after which a connection that says nothing is closed
_LINE = 1_024  # characters of a chunk's size
_CHUNK_SIZE = re.compile(rb"[0-9a-fA-F]{1,8}")
_JSON, _PROTOBUF = "application/json", "application/x-protobuf"
_KINDS: dict[str, Signal | None] = {"/v1/traces": TRACES, "/v1/logs": LOGS, "/v1/metrics": None}


class BodyError(ValueError):
    """A body that is not what it says it is."""


class TooLargeError(BodyError):
    """A body beyond what any exporter sends."""


class Receiver:
    """Listens while it is entered. Answers are sent only after what they confirm is stored."""

    def __init__(self, storage: Storage, redact: Redactor | None = None) -> None:
        self._server = _Server(storage, redact)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.settle()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # idle connections of a command's children must not hold us up

    def __init__(self, storage: Storage, redact: Redactor | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.storage, self.redact = storage, redact
        self._busy = 0
        self._idle = threading.Condition()

    @contextmanager
    def answering(self) -> Iterator[None]:
        with self._idle:
            self._busy += 1
        try:
            yield
        finally:
            with self._idle:
                self._busy -= 1
                self._idle.notify_all()

    def settle(self) -> None:
        with self._idle:
            self._idle.wait_for(lambda: not self._busy, timeout=_PATIENCE)

    def handle_error(self, _request: Any, _client_address: Any) -> None:
        """A sender that goes away in the middle of a request is nobody's error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "agentevals", ""
    timeout = _SILENCE
    server: _Server

    def do_POST(self) -> None:
        with self.server.answering():
            try:
                self._receive()
            except TooLargeError:
                self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {LARGEST} bytes")
            except BodyError as error:
                self._refuse(HTTPStatus.BAD_REQUEST, str(error))

    def _receive(self) -> None:
        path = self.path.partition("?")[0].rstrip("/")
        if path not in _KINDS:
            self._refuse(HTTPStatus.NOT_FOUND, f"send to {', '.join(_KINDS)}")
            return
        body = _unpack(self._body(), self.headers.get("Content-Encoding", "").lower())
        media_type = self.headers.get_content_type()
        if media_type not in (_JSON, _PROTOBUF):
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send {_JSON} or {_PROTOBUF}")
            return
        kind, is_json = _KINDS[path], media_type == _JSON
        answer = b"{}" if is_json else b""
        if kind:
            document = _decode(body, kind, self.server.redact, is_json=is_json)
            try:
                refused = self.server.storage.add(split_by_trace(document, kind))
            except OSError as error:  # without an answer an exporter would try again, for seconds
                self._refuse(HTTPStatus.INSUFFICIENT_STORAGE, f"not stored: {error.strerror}")
                return
            answer = _build_confirmation(kind, refused, is_json=is_json)
        self._answer(HTTPStatus.OK, media_type, answer)

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            return b"".join(self._chunks())
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            msg = "the request has no length"
            raise BodyError(msg)
        if int(length) > LARGEST:
            raise TooLargeError
        return self.rfile.read(int(length))

    def _chunks(self) -> Iterator[bytes]:
        left = LARGEST
        while size := self._chunk_size():
            left -= size
            if left < 0:
                raise TooLargeError
            yield self.rfile.read(size)
            self.rfile.readline(_LINE)
        while self.rfile.readline(_LINE).strip():
            """Trailers say nothing that we need."""

    def _chunk_size(self) -> int:
        line = self.rfile.readline(_LINE).partition(b";")[0].strip()
        if not _CHUNK_SIZE.fullmatch(line):
            msg = "a chunk has no size"
            raise BodyError(msg)
        return int(line, 16)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """The body may not have been read, so the connection cannot be used again."""
        self.server.storage.refuse(why)
        self.close_connection = True
        self._answer(status, "text/plain; charset=utf-8", why.encode())

    def _answer(self, status: HTTPStatus, media_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base's name
        """The terminal belongs to the command."""


def _unpack(body: bytes, encoding: str) -> bytes:
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


def _decode(body: bytes, kind: Signal, redact: Redactor | None, *, is_json: bool) -> dict[str, Any]:
    try:
        if is_json:
            document = json.loads(body)
        else:
            message = kind.request()
            message.ParseFromString(body)
            document = MessageToDict(message, use_integers_for_enums=True)
        document = redact_document(document, redact) if redact else document
    except (DecodeError, ValueError, RecursionError) as error:
        msg = "the body is not an OTLP request"
        raise BodyError(msg) from error
    if not isinstance(document, dict):
        msg = "the body is not an object"
        raise BodyError(msg)
    return document


def _build_confirmation(kind: Signal, refused: int, *, is_json: bool) -> bytes:
    """OTLP's answer: empty when everything was kept, else how many records were not."""
    answer = kind.response()
    if refused:
        counted = "rejectedSpans" if kind is TRACES else "rejectedLogRecords"
        why = "without a trace id, or beyond what one recording keeps"
        ParseDict({"partialSuccess": {counted: refused, "errorMessage": why}}, answer)
    return MessageToJson(answer).encode() if is_json else answer.SerializeToString()
