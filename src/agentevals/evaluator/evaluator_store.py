"""Fetched evaluators, kept by their content and shared by every process of this machine.

A folder appears under its final name when it is whole, and is looked through before it is used:
what somebody removed or changed is fetched again.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG

import msgspec

from agentevals.evaluator import evaluator_files, registry_index
from agentevals.evaluator.evaluator_lock import Pin, drop_compiled
from agentevals.files import atomic_files
from agentevals.model.errors import UnavailableError

with suppress(ImportError):  # Windows has none
    import fcntl

Contents = Mapping[str, bytes]


def find_default_root() -> Path:
    """Return the folder of the store; AGENTEVALS_CACHE or XDG_CACHE_HOME can name another."""
    own = os.environ.get("AGENTEVALS_CACHE")
    if own:
        return Path(own).expanduser().absolute() / "evaluators"
    return atomic_files.find_user_cache() / "evaluators"


class Store:
    """Folders by their content, and what is known of each."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find_folder(self, files: Mapping[str, str]) -> Path | None:
        """Return the folder with exactly these files, or None."""
        place = self._find_place(files)
        contents = _read(place)
        if contents is None or any(name not in contents for name in files):
            return None
        wanted = {name: contents[name] for name in files}
        if evaluator_files.compute_digests(wanted) != dict(files):
            return None
        return place if len(wanted) == len(contents) else self.keep(wanted)

    def keep(self, contents: Contents) -> Path:
        """Put a folder into the store, whole or not at all, whoever else does the same."""
        place = self._find_place(evaluator_files.compute_digests(contents))
        with self._prepare_writing(place.parent), self.alone(place.name):
            if _read(place) == dict(contents):
                return place
            with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as new:
                whole = Path(new) / "whole"
                _write(whole, contents)
                if os.path.lexists(place):
                    place.rename(Path(new) / "before")
                whole.rename(place)
        return place

    def recall(self, *key: str) -> Pin | None:
        """Return the pin that was remembered under this key."""
        try:
            return drop_compiled(msgspec.json.decode(self._find_record(key).read_bytes(), type=Pin))
        except (OSError, msgspec.DecodeError, RecursionError):
            return None

    def remember(self, pin: Pin, *key: str) -> None:
        """Keep what is known of a folder for later."""
        path = self._find_record(key)
        with self._prepare_writing(path.parent):
            atomic_files.write(path, msgspec.json.format(msgspec.json.encode(pin)))

    @contextmanager
    def alone(self, *key: str) -> Iterator[None]:
        """Let one process at a time into the block; a dead process holds no lock."""
        if not hasattr(os, "fork"):
            msg = "evaluators of a registry need the sandbox, which Windows does not have; use WSL"
            raise UnavailableError(msg)
        path = self.root / "locks" / hash_key(key)
        with self._prepare_writing(path.parent):
            file = path.open("w")
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _find_place(self, files: Mapping[str, str]) -> Path:
        return self.root / "files" / registry_index.digest(files)

    def _find_record(self, key: tuple[str, ...]) -> Path:
        return self.root / "pins" / f"{hash_key(key)}.json"

    @contextmanager
    def _prepare_writing(self, folder: Path) -> Iterator[None]:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            yield
        except OSError as error:
            msg = f"{self.root}: evaluators cannot be kept there: {error.strerror}; "
            raise UnavailableError(msg + "name another place in AGENTEVALS_CACHE") from None


def hash_key(key: tuple[str, ...]) -> str:
    """Return a file name that no other key has."""
    return hashlib.sha256("\0".join(key).encode()).hexdigest()


def _read(folder: Path) -> dict[str, bytes] | None:
    """Read all files below a folder; None where it holds anything else, or too much."""
    found: dict[str, bytes] = {}
    pending = [folder]
    try:
        while pending:
            for path in pending.pop().iterdir():
                mode = path.lstat().st_mode
                if S_ISDIR(mode):
                    pending.append(path)
                elif S_ISREG(mode) and len(found) < 2 * evaluator_files.MOST_FILES:
                    found[path.relative_to(folder).as_posix()] = path.read_bytes()
                else:
                    return None
    except OSError:
        return None
    return found


def _write(folder: Path, contents: Contents) -> None:
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
