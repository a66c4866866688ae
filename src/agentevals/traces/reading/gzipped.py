"""Compressed files: what can be unpacked of them is read, also where they are cut off."""

import gzip
import io
import zlib
from typing import BinaryIO, Final

# More than that is only unpacked while it is not suspiciously much for the size of the file:
# recordings become ten to forty times smaller, what is made to fill memory a thousand times.
_UNSUSPECTED = 256 << 20
_MOST_TIMES = 100


class BombError(Exception):
    """A small file that never ends once it is unpacked."""


DAMAGED: Final = (EOFError, gzip.BadGzipFile, zlib.error, BombError)
"""What reading of such a file may raise."""


class Unpacked(io.RawIOBase):
    """What is compressed in a stream, in pieces as they come: an error costs no piece before it."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = _Counted(packed)
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


class _Counted(io.RawIOBase):
    """A stream, and how many bytes were read of it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.count = stream, 0

    def read(self, size: int = -1, /) -> bytes:
        piece = self._stream.read(size)
        self.count += len(piece)
        return piece


def complaint(error: Exception) -> str:
    """Why the rest of a file cannot be unpacked, and what to do."""
    if isinstance(error, BombError):
        most = f"becomes more than {_MOST_TIMES} times as large when it is unpacked"
        return f"{most}; unpack it yourself if you trust it"
    if isinstance(error, EOFError):
        return "ends in the middle of what is compressed in it; it was cut off, copy it again"
    return "is damaged: what is compressed in it cannot be unpacked; copy it again"
