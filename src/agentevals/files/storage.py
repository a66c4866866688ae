"""Files behind addresses such as `s3://bucket/traces`, which are read where a path is.

The extra `storage` brings fsspec, which knows them; its packages are imported only for an address.
"""

import io
import os
import re
import stat
from collections.abc import Callable, Generator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar
from urllib.parse import unquote

from agentevals.model.errors import InputError

INSTALL = "install the extra 'storage' of agentevals-action"
_BUFFER = 2**20
_is_address = re.compile(r"[a-z][a-z0-9+]*://").match
_is_pattern = re.compile(r"[*?\[]").search
_UNLISTED = ("http://", "https://")  # what cannot list a folder
_FILE = "file://"
_FOLDER = "directory"

Got = TypeVar("Got")

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # before Python 3.12, only this one has subclasses that work


def is_address(name: str) -> bool:
    """Return whether a name is an address and not a path."""
    return bool(_is_address(name))


def read_local(name: str) -> str:
    """Return the path that an address of this machine means; any other name as it is."""
    return unquote(name.removeprefix(_FILE)) if name.startswith(_FILE) else name


def list_files(address: str) -> list[Path]:
    """Return what an address or a pattern of addresses names, sorted; a file need not exist."""
    if address.startswith(_UNLISTED) or not _is_pattern(address):
        return [Remote(address)]
    found = _ask(address, lambda system, path: system.glob(path, detail=True))
    files = (info for info in found.values() if info["type"] != _FOLDER)
    return sorted([Remote.make(address, info) for info in files], key=str)


def open_new(name: str) -> BinaryIO:
    """Open a new file to write bytes: a path, or behind an address."""
    if is_address(name) and not name.startswith(_FILE):
        opened: BinaryIO = _ask(name, lambda system, path: system.open(path, "wb"))
        return opened
    path = Path(read_local(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


class Remote(_Path):
    """A file or folder behind an address, of which only these methods work."""

    _size: int | None = None

    @classmethod
    def make(cls, beside: str, info: dict[str, Any]) -> "Remote":
        """Return what a listing tells of, behind the same kind of address as another."""
        made = cls(f"{beside.partition('://')[0]}://{info['name']}")
        made._size = info.get("size")
        return made

    def __str__(self) -> str:
        return super().__str__().replace(":/", "://", 1)

    def iterdir(self) -> Generator["Remote", None, None]:
        """Yield the files and folders in a folder."""
        address = str(self)
        if address.startswith(_UNLISTED) or not _ask(address, lambda s, path: s.isdir(path)):
            raise NotADirectoryError(address)
        for info in _ask(address, lambda system, path: system.ls(path, detail=True)):
            if info["type"] != _FOLDER:
                yield self.make(address, info)

    def is_file(self, **_: Any) -> bool:
        """Return True: a folder has no ending of a trace file."""
        return True

    def stat(self, **_: Any) -> os.stat_result:
        """Return the size, in what is otherwise empty."""
        if self._size is None:
            self._size = _ask(str(self), lambda system, path: system.info(path)).get("size")
        return os.stat_result((stat.S_IFREG, 0, 0, 0, 0, 0, self._size or 0, 0, 0, 0))

    def open(self, *_: Any, **__: Any) -> Any:
        """Open it to be read as bytes, whatever the mode."""
        return self.open_stream()

    def open_stream(self) -> io.BufferedReader:
        """Open it to be read as bytes."""
        found = _ask(str(self), lambda system, path: system.open(path, "rb"))
        return io.BufferedReader(_Stream(found), _BUFFER)


class _Stream(io.RawIOBase):
    """A stream of fsspec, whose errors are those of a file."""

    def __init__(self, found: BinaryIO) -> None:
        self._found = found

    def readable(self) -> bool:
        return True

    def readinto(self, target: "bytearray | memoryview[int]", /) -> int:  # type: ignore[override]
        piece = _do(lambda: self._found.read(len(target)))
        target[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._found.close()
        super().close()


def _ask(address: str, ask: Callable[[Any, str], Any]) -> Any:
    """Ask the system of files that an address belongs to."""
    try:
        core = import_module("fsspec.core")
        system, path = core.url_to_fs(address)
    except ImportError as error:
        msg = f"{address}: {error.msg}; {INSTALL}, or fsspec and the package for such addresses"
        raise InputError(msg) from None
    except ValueError as error:
        msg = f"{address}: {error}; give a path, or an address such as s3://bucket/traces/"
        raise InputError(msg) from None
    return _do(lambda: ask(system, path))


def _do(act: Callable[[], Got]) -> Got:
    """Act; what a package raises becomes an error of files, with the same words."""
    try:
        return act()
    except OSError:
        raise
    except Exception as error:
        raise OSError(str(error)) from error
