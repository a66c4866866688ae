"""Files that are copied into a container, as a tar: what a program may read, and nothing else."""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox.closed_paths import find_closed

_MOST = 512 << 20
_FOLDER, _FILE, _PROGRAM = 0o755, 0o644, 0o755


class Archive:
    """A tar that is built in a temporary file. Everything in it belongs to root."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._tar = tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115
        self._size = 0
        self._folders: set[str] = set()

    def add(self, path: Path, place: str) -> None:
        """Add a file, or a folder with what is open of it."""
        if path.is_dir():
            self.add_folder(path, place)
        else:
            self.add_file(path, place)

    def add_folder(self, folder: Path, place: str) -> None:
        """Add a folder, but what stays closed below it, and links that lead out of it."""
        closed = frozenset(find_closed(folder))
        self._add_parents(place)
        self._add_entry(place)
        for entry in _walk(str(folder), closed):
            name = f"{place}/{os.path.relpath(entry.path, folder)}"
            if entry.is_dir(follow_symlinks=False):
                self._add_entry(name)
            elif _leads_to_file(entry, folder, closed):
                self.add_file(Path(entry.path), name)

    def add_file(self, path: Path, name: str) -> None:
        """Add a file under a name; one that is executable stays so."""
        found = path.stat()
        self._size += found.st_size
        if self._size > _MOST:
            msg = f"cannot be copied into a container: {path.parent} and the like hold over 512 MiB"
            raise EvaluatorError(msg)
        self._add_parents(name)
        mode = _PROGRAM if found.st_mode & 0o111 else _FILE
        entry = tarfile.TarInfo(name)
        entry.mode, entry.size = mode, found.st_size
        entry.mtime = int(found.st_mtime)  # by which Python knows what a compiled file is of
        with path.open("rb") as content:
            self._tar.addfile(entry, content)

    def finish(self) -> IO[bytes]:
        """Return the file, to be read from its beginning."""
        self._tar.close()
        self._file.seek(0)
        return self._file

    def _add_parents(self, name: str) -> None:
        """Engines would make them for nobody but themselves."""
        for parent in reversed(PurePosixPath(name).parents[:-1]):
            if str(parent) not in self._folders:
                self._add_entry(str(parent))

    def _add_entry(self, name: str) -> None:
        self._folders.add(name)
        entry = tarfile.TarInfo(name)
        entry.type, entry.mode = tarfile.DIRTYPE, _FOLDER
        self._tar.addfile(entry)


def _walk(folder: str, closed: frozenset[str]) -> "Iterator[os.DirEntry[str]]":
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            kept = [entry for entry in entries if entry.path not in closed]
        yield from kept
        folders += [entry.path for entry in kept if entry.is_dir(follow_symlinks=False)]


def _leads_to_file(entry: "os.DirEntry[str]", top: Path, closed: frozenset[str]) -> bool:
    """Return whether it is a file, or a link to one in the same folder that is open."""
    if not entry.is_file():
        return False
    if not entry.is_symlink():
        return True
    target, real = os.path.realpath(entry.path), os.path.realpath(top)
    spelt = f"{top}{target.removeprefix(real)}"
    inside = target.startswith(f"{real}/")
    return inside and not any(spelt == path or spelt.startswith(f"{path}/") for path in closed)
