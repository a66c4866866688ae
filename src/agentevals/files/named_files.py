"""Files that users name: their texts, without waiting for ever for a pipe, and their patterns."""

import gc
import json
import os
import select
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from agentevals.files.document_places import quote
from agentevals.files.project_paths import is_literal, leads_out, split_pattern, unescape
from agentevals.model.errors import ConfigError, InputError, Problem, point

PATIENCE = 5.0  # seconds for a program to begin to write into a pipe
_MS = 1000
_MOST = 1_000_000  # entries of folders that are looked at for one pattern
_ANY_DEPTH = "**"


def open_readable(path: str | Path, flags: int, *, patience: float = PATIENCE) -> int:
    """Open for `open`: refuse devices, files of the kernel, links to secrets, and silent pipes."""
    found = os.stat(path)  # noqa: PTH116 -- what `open` gives to an opener is text
    mode = found.st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        msg = "it is a device; name a file"
        raise OSError(msg)
    if stat.S_ISREG(mode) and found.st_dev in _list_kernel_devices():
        msg = "it is a file of the kernel, which may never end; name a file"
        raise OSError(msg)
    if stat.S_ISREG(mode) and not mode & stat.S_IROTH and leads_out(Path(path)):
        msg = "a link leads out of the project to a file that is not for everybody; name the file"
        raise OSError(msg)
    if not stat.S_ISFIFO(mode):
        return os.open(path, flags)
    pipe = os.open(path, flags | os.O_NONBLOCK)
    if not _is_written(pipe, patience):
        os.close(pipe)
        msg = "it is a pipe that no program writes into; name a file"
        raise OSError(msg)
    os.set_blocking(pipe, True)
    return pipe


@cache
def _list_kernel_devices() -> frozenset[int]:
    """Return the file systems that a kernel makes up; a pipe of a shell is in none of them."""
    places = [Path(place) for place in ("/proc", "/sys")]
    return frozenset(place.stat().st_dev for place in places if place.is_mount())


def _is_written(pipe: int, patience: float) -> bool:
    """Return whether there is something to read, or a program that may still write."""
    awaited = select.poll()
    awaited.register(pipe, select.POLLIN)
    if awaited.poll(patience * _MS):
        return True
    try:
        return bool(os.read(pipe, 1))
    except BlockingIOError:
        return True


def text(path: Path) -> str:
    """Return the text of a file, whatever Unicode encoding it was saved in."""
    return _decode(path, _read(path)).removeprefix("\ufeff").replace("\r\n", "\n")


def _read(path: Path) -> bytes:
    try:
        with open(path, "rb", opener=open_readable) as file:
            return file.read()
    except FileNotFoundError:
        raise _make_error(path, f"there is no such file{nearest(path)}") from None
    except IsADirectoryError:
        raise _make_error(path, "this is a folder; name a file in it") from None
    except (OSError, ValueError) as error:  # a ValueError is a NUL in the path
        why = getattr(error, "strerror", None) or str(error)
        raise _make_error(path, f"cannot be read: {why.lower()}") from None


def _decode(path: Path, content: bytes) -> str:
    try:
        return content.decode(json.detect_encoding(content))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = "this is not UTF-8 text; save the file as UTF-8"
        raise ConfigError([Problem(message=message, path=str(path), at=point(line))]) from None


def _make_error(path: Path, message: str) -> ConfigError:
    return ConfigError([Problem(message=message, path=str(path))])


def nearest(path: Path) -> str:
    """Return ` (did you mean 'x'?)` when the folder holds a file with nearly that name."""
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except (OSError, ValueError):
        return ""
    near = get_close_matches(path.name, names, n=1)
    return f" (did you mean {quote(near[0])}?)" if near else ""


def exists(path: Path) -> bool:
    """Return whether there is such a file; False for a name that no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def contains(root: Path | None, path: Path) -> bool:
    """Return whether a path ends below the root, links followed.

    This holds for what looks like a glob too: a folder may be called `[a]`, and lead anywhere.
    """
    if root is None:
        return True
    try:
        return path.absolute().resolve().is_relative_to(_resolve(root.absolute()))
    except (OSError, RuntimeError, ValueError):  # links in a circle, or a NUL in the name
        return False


@cache
def _resolve(root: Path) -> Path:
    """Resolve the root once for the thousands of files of a run."""
    return root.resolve()


def shortest(path: Path) -> Path:
    """Return the path as people would write it here."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


@contextmanager
def pause_garbage_collection(*, for_good: bool = False) -> Iterator[None]:
    """Pause while millions of objects are made: to look for cycles among them would cost most.

    With `for_good`, what exists then is never looked at again, because it is kept to the end.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if not for_good:
            gc.unfreeze()  # together they call everything old, so that it is not looked at now
        if was_enabled:
            gc.enable()


def find_matches(pattern: str, *, most: int = _MOST) -> Iterator[Path]:
    """Yield all that matches, in no order. Below `**` each folder counts once, links or not.

    A pattern that looks at more than so many files is an InputError.
    """
    start, parts = split_pattern(pattern)
    yield from _Search(pattern, most).search(start, _drop_repeats(parts))


class _Search:
    def __init__(self, pattern: str, most: int) -> None:
        self._pattern, self._most = pattern, most
        self._looked_at = 0

    def search(self, place: Path, parts: tuple[str, ...]) -> Iterator[Path]:
        if not parts:
            yield place
            return
        part, *others = parts
        rest = tuple(others)
        if part == _ANY_DEPTH:
            yield from self._search_all_depths(place, rest)
        elif not is_literal(part):
            for entry in self._list_entries(place):
                if _is_shown(entry.name, part) and fnmatchcase(entry.name, part):
                    yield from self.search(place / entry.name, rest)
        elif os.path.lexists(place / unescape(part)):
            yield from self.search(place / unescape(part), rest)

    def _search_all_depths(self, top: Path, rest: tuple[str, ...]) -> Iterator[Path]:
        seen: set[tuple[int, int]] = set()
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            known = _identify(folder)
            if known is None or known in seen:
                continue
            seen.add(known)
            if rest:
                yield from self.search(folder, rest)
            for entry in self._list_entries(folder):
                if not _is_shown(entry.name, _ANY_DEPTH):
                    continue
                if not rest:
                    yield folder / entry.name
                waiting.append(folder / entry.name)

    def _list_entries(self, folder: Path) -> Iterator["os.DirEntry[str]"]:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._count()
                    yield entry
        except (OSError, ValueError):  # no folder, a closed one, a NUL in its name
            return

    def _count(self) -> None:
        self._looked_at += 1
        if self._looked_at > self._most:
            msg = (
                f"the pattern {quote(self._pattern)} looks at more than {self._most:,} files; "
                "begin it with the folder that they are in"
            )
            raise InputError(msg)


def _drop_repeats(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Drop repeats: `a/**/**/b` means the same as `a/**/b`."""
    before = ("", *parts)
    return tuple(
        part for part, last in zip(parts, before, strict=False) if {part, last} != {_ANY_DEPTH}
    )


def _is_shown(name: str, part: str) -> bool:
    """Return whether a pattern may name an entry: one with a dot only if it has one itself."""
    return not name.startswith(".") or part.startswith(".")


def _identify(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None
