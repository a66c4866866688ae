"""Compressed trace files: gzip and Zstandard, unpacked piece by piece."""

import gzip
import io
import zlib
from importlib import import_module
from typing import Any, BinaryIO, Protocol

from agentevals.files.storage import INSTALL

_BUFFER = 2**20
_PIECE = 2**11  # bytes, which become 64 MiB at the most
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# More than that is only unpacked while it is not suspiciously much for the size of the file:
# recordings become ten to forty times smaller, what is made to fill memory a thousand times.
_UNSUSPECTED = 256 << 20
MOST_TIMES = 100


class BombError(Exception):
    """A small file that never ends once it is unpacked."""


class MissingPackageError(Exception):
    """A file is compressed in a way that needs a package which is not installed."""


DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, BombError)


def unpack(raw: io.BufferedReader) -> io.BufferedReader | None:
    """Return the bytes that are compressed in a stream; None if it is not compressed."""
    start = raw.peek(len(_ZSTD))
    counted = _CountingReader(raw)
    if start.startswith(_GZIP):
        return _buffer(gzip.GzipFile(fileobj=counted, mode="rb"), counted)
    if start.startswith(_ZSTD):
        return _buffer(_Zstd(counted), counted)
    return None


class _Source(Protocol):
    """Gives what was compressed, in pieces."""

    def read1(self, size: int = -1, /) -> bytes: ...


def _buffer(source: _Source, counted: "_CountingReader") -> io.BufferedReader:
    return io.BufferedReader(_Unpacker(source, counted), _BUFFER)


class _Unpacker(io.RawIOBase):
    """Decompress a stream piece by piece, so that an error loses no piece before it."""

    def __init__(self, source: _Source, packed: "_CountingReader") -> None:
        self._source, self._packed, self._unpacked = source, packed, 0

    def readable(self) -> bool:
        return True

    def readinto(self, target: "bytearray | memoryview[int]", /) -> int:  # type: ignore[override]
        piece = self._source.read1(len(target))
        target[: len(piece)] = piece
        self._unpacked += len(piece)
        if self._unpacked > max(_UNSUSPECTED, MOST_TIMES * self._packed.count):
            raise BombError
        return len(piece)


class _CountingReader(io.RawIOBase):
    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.count = stream, 0

    def read(self, size: int = -1, /) -> bytes:
        piece = self._stream.read(size)
        self.count += len(piece)
        return piece


class _Zstd:
    """Frames of Zstandard; the package for them comes with the extra."""

    def __init__(self, packed: _CountingReader) -> None:
        try:
            self._package: Any = import_module("zstandard")
        except ImportError:
            msg = f"is compressed with Zstandard; {INSTALL}, or unpack it with 'zstd -d'"
            raise MissingPackageError(msg) from None
        self._packed = packed
        self._frame = self._begin()
        self._rest = b""
        self._is_begun = False

    def read1(self, size: int = -1, /) -> bytes:
        """Return some bytes; none at the end of the last frame."""
        if self._rest:
            piece, self._rest = self._rest[:size], self._rest[size:]
            return piece
        while packed := self._frame.unused_data or self._packed.read(_PIECE):
            if self._frame.eof:
                self._frame = self._begin()
            try:
                piece = self._frame.decompress(packed)
            except self._package.ZstdError as error:
                raise zlib.error(str(error)) from error
            self._is_begun = not self._frame.eof
            if piece:
                self._rest = piece[size:]
                return bytes(piece[:size])
        if self._is_begun:
            raise EOFError
        return b""

    def _begin(self) -> Any:
        return self._package.ZstdDecompressor().decompressobj()
