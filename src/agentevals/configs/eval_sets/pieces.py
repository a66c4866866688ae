"""A large file of eval cases in pieces: an array is cut where one case ends and the next begins."""

import io
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from agentevals.files import documents, json_, reading

_LARGE = 4 * 2**20  # bytes; smaller files are read as a document, which others may ask for as well
_PIECE = 2**20
_BEGIN = re.compile(rb'"eval_cases"\s*:\s*\[')
_NEXT, _BEFORE = b'"eval_id"', re.compile(rb",\s*\{\s*\Z")
_SPACE = 64  # bytes at most between two cases

_decode_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


class _Outline(msgspec.Struct, forbid_unknown_fields=True):
    """A set without its cases."""

    eval_set_id: str
    eval_cases: list[None]
    name: str | None = None
    description: str | None = None
    creation_timestamp: float = 0.0


class CaseFile:
    """A file of eval cases."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = file.seek(0, io.SEEK_END)
        self._start = file.seek(0)

    def list_lines(self) -> Iterator[bytes]:
        """Yield every line that is not blank."""
        return filter(None, map(bytes.strip, self._file))

    def read_outline(self) -> str:
        """Return the id of the set, and find the array of its cases; else raise a ValueError."""
        first = self._file.read(_PIECE)
        found = _BEGIN.search(first)
        self._file.seek(max(0, self._end - _PIECE))
        last = self._file.read()
        closing = last.rfind(b"]")
        if not found or closing < 0:
            raise ValueError
        outline = first[: found.end()] + last[closing:]
        self._start, self._end = found.end(), self._end - (len(last) - closing)
        if self._start > self._end:
            raise ValueError
        # it holds no more than the array if all of it is one object without an array of cases
        return msgspec.convert(json_.load(outline.decode()), _Outline).eval_set_id

    def cut_items(self) -> Iterator[bytes]:
        """Yield each case of the array, or raise a ValueError."""
        self._file.seek(self._start)
        left, rest = self._end - self._start, b""
        while left > 0 or rest.strip():
            piece = rest + self._file.read(min(left, _PIECE))
            left -= len(piece) - len(rest)
            cut = _find_cut(piece) if left > 0 else len(piece)
            if not cut:  # nothing shows where a case ends: look at all of them together
                piece += self._file.read(left)
                cut, left = len(piece), 0
            # what is valid between brackets was cut between two cases
            yield from map(bytes, _decode_items(b"[" + piece[:cut] + b"]"))
            rest = piece[cut + 1 :]


def _find_cut(piece: bytes) -> int:
    """Return where the last comma is that seems to stand between two cases; 0 if there is none."""
    at = piece.rfind(_NEXT)
    while at > 0:
        start = max(0, at - _SPACE)
        if found := _BEFORE.search(piece[start:at]):
            return start + found.start()
        at = piece.rfind(_NEXT, 0, at)
    return 0


@contextmanager
def open_file(path: Path) -> Iterator[CaseFile]:
    """Yield the cases of a file; a small one, or one that is no file, is read as a document."""
    if _is_large(path):
        with open(path, "rb", opener=reading.open_readable) as file:
            yield CaseFile(file)
    else:
        yield CaseFile(io.BytesIO(documents.read_text(path).encode()))


def _is_large(path: Path) -> bool:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > _LARGE
