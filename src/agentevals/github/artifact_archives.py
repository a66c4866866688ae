"""Archives from untrusted sources: only files, only below one folder, only up to a limit."""

import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from gzip import BadGzipFile, GzipFile
from pathlib import Path, PurePosixPath
from stat import S_IFMT, S_IFREG, S_IXUSR
from typing import BinaryIO, Protocol

from agentevals.model.errors import InputError
from agentevals.model.noun import Noun
from agentevals.text.terminal import plain

_CHUNK = 65_536
_LONGEST_NAME = 1_000
_HEADER = b"PK\x01\x02"  # of one entry of a zip file
_MOST_HEADERS = 100_000  # more of them are not even looked at, because each takes memory


class Caps(Noun, frozen=True):
    """Limits of an archive, unpacked."""

    entries: int = 200_000
    total_bytes: int = 2 * 1024 * 1024 * 1024
    entry_bytes: int = 128 * 1024 * 1024


CAPS = Caps()


class Unpacked(Noun, frozen=True):
    """The files, by their path below the folder, and the links and devices that were skipped."""

    files: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


def unzip(data: bytes, into: Path, caps: Caps = CAPS) -> Unpacked:
    """Unpack a zip file into a folder that is empty or not there."""
    writer = Writer(into, caps)
    if data.count(_HEADER) > _MOST_HEADERS:
        raise _make_size_error()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                if info.is_dir():
                    writer.count(info.filename)
                elif _is_file(info):
                    with archive.open(info) as content:
                        writer.write(info.filename, content)
                else:
                    writer.skip(info.filename)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        msg = f"the archive cannot be unpacked: {plain(str(error), 200)}"
        raise InputError(msg) from None
    return writer.unpacked


def _is_file(info: zipfile.ZipInfo) -> bool:
    """Zip files made elsewhere than on Unix say nothing about the kind."""
    return S_IFMT(info.external_attr >> 16) in {0, S_IFREG}


def untar(data: bytes, into: Path, caps: Caps = CAPS) -> Unpacked:
    """Unpack a compressed tarball; the one folder on top, which GitHub adds, is taken off."""
    writer = Writer(into, caps)
    stream = _Bounded(GzipFile(fileobj=io.BytesIO(data)), 2 * caps.total_bytes)
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]  # reads is all it does
            for member in archive:
                name = member.name.partition("/")[2]
                if member.isfile() and name:
                    content = archive.extractfile(member) or io.BytesIO()
                    writer.write(name, content, runs=bool(member.mode & S_IXUSR))
                elif member.isdir() or not name:
                    writer.count(member.name)
                else:
                    writer.skip(name)
    except (tarfile.TarError, BadGzipFile, zlib.error, EOFError) as error:
        msg = f"the archive cannot be unpacked: {plain(str(error), 200)}"
        raise InputError(msg) from None
    return writer.unpacked


class Readable(Protocol):
    """Bytes, some at a time."""

    def read(self, size: int, /) -> bytes: ...


class _Bounded:
    """A stream that raises an error if it is longer than its limit."""

    def __init__(self, stream: GzipFile, limit: int) -> None:
        self._stream, self._left = stream, limit

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise _make_size_error()
        return data


class Writer:
    """Writes files below a folder and counts them."""

    def __init__(self, into: Path, caps: Caps) -> None:
        self._into, self._caps = into, caps
        self._entries, self._bytes = 0, 0
        self._files: list[str] = []
        self._skipped: list[str] = []
        into.mkdir(parents=True, exist_ok=True)
        if any(into.iterdir()):
            msg = f"{into}: is not empty; unpack into a folder of its own"
            raise InputError(msg)

    @property
    def unpacked(self) -> Unpacked:
        return Unpacked(files=tuple(self._files), skipped=tuple(self._skipped))

    def count(self, name: str) -> PurePosixPath:
        """Count an entry and return its path, which must stay below the folder."""
        self._entries += 1
        if self._entries > self._caps.entries:
            msg = f"the archive has more than {self._caps.entries} entries, which is refused"
            raise InputError(msg)
        place = PurePosixPath(name)
        odd = "\\" in name or "\0" in name or len(name) > _LONGEST_NAME
        if odd or place.is_absolute() or ".." in place.parts or not place.parts:
            msg = f"the archive has an entry {plain(name, 100)!r}, which leads out of its folder; "
            raise InputError(msg + "nothing of it is used")
        return place

    def skip(self, name: str) -> None:
        self.count(name)
        self._skipped.append(name)

    def write(self, name: str, content: Readable, *, runs: bool = False) -> None:
        """Write a file. An executable file stays executable."""
        place = self.count(name)
        target = self._into / place
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                self._copy(content, file)
                if runs:
                    os.fchmod(file.fileno(), 0o755)
        except OSError as error:
            msg = f"the archive's entry {plain(name, 100)!r} cannot be written: {error.strerror}"
            raise InputError(msg) from None
        self._files.append(str(place))

    def _copy(self, content: Readable, file: BinaryIO) -> None:
        written = 0
        for chunk in _read_chunks(content):
            written += len(chunk)
            self._bytes += len(chunk)
            if written > self._caps.entry_bytes or self._bytes > self._caps.total_bytes:
                raise _make_size_error()
            file.write(chunk)


def _read_chunks(content: Readable) -> Iterator[bytes]:
    while chunk := content.read(_CHUNK):
        yield chunk


def _make_size_error() -> InputError:
    return InputError("the archive holds more than it may, unpacked; nothing of it is used")
