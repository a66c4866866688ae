"""The files that a pattern names: as a shell finds them, in bounded time."""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path
from stat import S_ISDIR

from agentevals.files.places import quote
from agentevals.model.errors import InputError

MOST = 1_000_000  # entries of folders that are looked at for one pattern
_ANY_DEPTH = "**"


def matching(pattern: str, *, most: int = MOST) -> Iterator[Path]:
    """Yield all that matches, in no order. Below `**` each folder counts once, links or not.

    A pattern that looks at more than so many files is an InputError.
    """
    parts = _drop_repeats(Path(pattern).parts)
    fixed = next((at for at, part in enumerate(parts) if has_magic(part)), len(parts))
    yield from _Search(pattern, most).search(Path(*parts[:fixed]), parts[fixed:])


class _Search:
    def __init__(self, pattern: str, most: int) -> None:
        self._pattern, self._most = pattern, most
        self._looked_at = 0

    def search(self, place: Path, parts: tuple[str, ...]) -> Iterator[Path]:
        """Yield the paths in a folder that the remaining parts of the pattern name."""
        if not parts:
            yield place
            return
        part, *others = parts
        rest = tuple(others)
        if part == _ANY_DEPTH:
            yield from self._search_all_depths(place, rest)
        elif has_magic(part):
            for entry in self._list_entries(place):
                if _is_shown(entry.name, part) and fnmatchcase(entry.name, part):
                    yield from self.search(place / entry.name, rest)
        elif os.path.lexists(place / part):
            yield from self.search(place / part, rest)

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
    """Return the identity of the folder that a path leads to; None if it leads to none."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if S_ISDIR(status.st_mode) else None
