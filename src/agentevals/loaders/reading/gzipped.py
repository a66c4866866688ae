"""Compressed files: what can be unpacked of them is read, also where they are cut off."""

import gzip
import io
import zlib
from typing import BinaryIO, Final

DAMAGED: Final = (EOFError, gzip.BadGzipFile, zlib.error)
"""What reading of such a file may raise."""


class Unpacked(io.RawIOBase):
    """What is compressed in a stream, in pieces as they come: an error costs no piece before it."""

    def __init__(self, packed: BinaryIO) -> None:
        self._file = gzip.GzipFile(fileobj=packed)

    def readable(self) -> bool:
        return True

    def readinto(self, target: "bytearray | memoryview[int]", /) -> int:  # type: ignore[override]
        piece = self._file.read1(len(target))
        target[: len(piece)] = piece
        return len(piece)


def complaint(error: Exception) -> str:
    """Why the rest of a file cannot be unpacked, and what to do."""
    if isinstance(error, EOFError):
        return "ends in the middle of what is compressed in it; it was cut off, copy it again"
    return "is damaged: what is compressed in it cannot be unpacked; copy it again"
