"""The records of a file: its lines when each is a value of its own, else all of it as one."""

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from os import fstat
from pathlib import Path
from typing import Any, BinaryIO, Final

from agentevals.files import reading
from agentevals.traces.reading import json_text
from agentevals.traces.reading.json_text import MalformedError

_SHOWN = 8  # keys of an object, when it is said what was found
_BUFFER = 2**20
_HELD = 2**26  # bytes of a file that is read at once, which is faster than line by line
_GZIP = b"\x1f\x8b"
_LONGEST_MARK = 4
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"{\0", "utf-16-le"),
    (b"[\0", "utf-16-le"),
    (b"\0{", "utf-16-be"),
    (b"\0[", "utf-16-be"),
)
# More than that is only unpacked while it is not suspiciously much for the size of the file:
# recordings become ten to forty times smaller, what is made to fill memory a thousand times.
_UNSUSPECTED = 256 << 20
_MOST_TIMES = 100


class Record:
    """One JSON value of a file: a line of it, or all of it. `data` need not be JSON at all."""

    __slots__ = ("_document", "data", "is_rounded", "line", "trouble")

    def __init__(self, data: bytes, line: int | None = None) -> None:
        self.data, self.line = data, line
        self.trouble: MalformedError | None = None
        self.is_rounded = False

    @property
    def document(self) -> Any:
        """The parsed value. None when there is none, and `trouble` then says why.

        `is_rounded` is whether numbers that JSON does not have became null in it.
        """
        if not hasattr(self, "_document"):
            self._document = None
            try:
                self._document, self.is_rounded = json_text.read_lossy(self.data)
            except MalformedError as trouble:
                self.trouble = trouble
        return self._document

    def unlike(self, name: str, remedy: str = "correct it or leave it out") -> MalformedError:
        """Why this is not a record of the format of that name, and what to do about it."""
        found = _describe(self.document)
        return self.trouble or MalformedError(f"is not {name}: found {found}; {remedy}")


class NoTraceError(MalformedError):
    """A file can be read, and nothing in it is a trace."""


def _describe(document: Any) -> str:
    if isinstance(document, dict) and document:
        names = [repr(key) for key in document]
        more = ", …" if len(names) > _SHOWN else ""
        return f"an object with the keys {', '.join(names[:_SHOWN])}{more}"
    if isinstance(document, list) and document:
        return f"an array of {len(document)}, the first of them {_describe(document[0])}"
    kinds = {dict: "an empty object", list: "an empty array", str: "a text", bool: "a truth value"}
    return kinds.get(type(document), "null" if document is None else "a number")


@contextmanager
def open_trace(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked when they are gzipped, in UTF-8 when they are UTF-16 or 32."""
    with open(path, "rb", buffering=0, opener=reading.open_readable) as file:
        raw = io.BufferedReader(file, _BUFFER)
        packed = raw.peek(len(_GZIP)).startswith(_GZIP)
        stream = io.BufferedReader(_Unpacker(raw), _BUFFER) if packed else raw
        start = stream.peek(_LONGEST_MARK)
        encoding = next((name for mark, name in _ENCODINGS if start.startswith(mark)), None)
        if encoding:
            yield io.BytesIO(_convert_to_utf8(stream.read(), encoding))
        elif not packed and file.seekable() and fstat(file.fileno()).st_size <= _HELD:
            raw.detach().seek(0)
            yield io.BytesIO(file.readall())
        else:
            yield stream


def _convert_to_utf8(data: bytes, encoding: str) -> bytes:
    if encoding == "utf-8-sig":
        return data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode(encoding).encode()
    except UnicodeError as error:
        msg = f"looks like {encoding.upper()} but is not; save it as UTF-8"
        raise MalformedError(msg) from error


def read_records(stream: BinaryIO) -> Iterator[Record]:
    """At least one record, or a MalformedError when there is nothing in the file."""
    numbered = enumerate(stream, start=1)
    first, second = _next(numbered), _next(numbered)
    if not first.strip():
        msg = "is empty; record the trace again"
        raise MalformedError(msg)
    if not second.strip():
        yield Record(first + second)
    elif json_text.is_json(first):
        yield from _read_lines(first + second, numbered)
    elif not json_text.is_json(second):
        yield Record(first + second + stream.read())
    else:
        yield from _read_odd_start(first + second + stream.read())


def _next(numbered: Iterator[tuple[int, bytes]]) -> bytes:
    """Everything up to the end of the next line that is not blank."""
    skipped: list[bytes] = []  # joined once: the only line of a large file is not even copied
    for _, line in numbered:
        skipped.append(line)
        if line.strip():
            break
    return b"".join(skipped)


def _read_odd_start(data: bytes) -> Iterator[Record]:
    """The second line is a value and the first is not: a bad line, or the first of an array."""
    return iter([Record(data)]) if json_text.is_json(data) else _read_lines(data, iter(()))


def _read_lines(head: bytes, rest: Iterator[tuple[int, bytes]]) -> Iterator[Record]:
    numbered = chain(enumerate(io.BytesIO(head), start=1), rest)
    return (Record(line, number) for number, line in numbered if line.strip())


class BombError(Exception):
    """A small file that never ends once it is unpacked."""


DAMAGED: Final = (EOFError, gzip.BadGzipFile, zlib.error, BombError)
"""What reading of such a file may raise."""


class _Unpacker(io.RawIOBase):
    """Decompress a stream piece by piece, so that an error loses no piece before it."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = _CountingReader(packed)
        self._file = gzip.GzipFile(fileobj=self._packed, mode="rb")
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, target: "bytearray | memoryview[int]", /) -> int:  # type: ignore[override]
        piece = self._file.read1(len(target))
        target[: len(piece)] = piece
        self._unpacked += len(piece)
        if self._unpacked > max(_UNSUSPECTED, _MOST_TIMES * self._packed.count):
            raise BombError
        return len(piece)


class _CountingReader(io.RawIOBase):
    """A stream, and how many bytes were read of it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.count = stream, 0

    def read(self, size: int = -1, /) -> bytes:
        piece = self._stream.read(size)
        self.count += len(piece)
        return piece


def explain_damage(error: Exception) -> str:
    """Why the rest of a file cannot be unpacked, and what to do."""
    if isinstance(error, BombError):
        most = f"becomes more than {_MOST_TIMES} times as large when it is unpacked"
        return f"{most}; unpack it yourself if you trust it"
    if isinstance(error, EOFError):
        return "ends in the middle of what is compressed in it; it was cut off, copy it again"
    return "is damaged: what is compressed in it cannot be unpacked; copy it again"
