"""Globs over folders that somebody hostile has filled: no link is followed round in circles."""

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path

_ANY = "**"
_DEEPEST = 100  # folders below the first; nothing that people keep lies deeper


def split(path: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the folder that a glob starts from, and the segments below it; none for a path."""
    parts = path.parts
    first = next((at for at, part in enumerate(parts) if has_magic(part)), len(parts))
    return Path(*parts[:first]), parts[first:]


def find_matches(base: Path, segments: Sequence[str], root: Path) -> Iterator[Path]:
    """Yield matches in the order of names. Links to folders count only if they stay in `root`.

    As in a shell, `*` does not match a name that begins with a dot. Links are not followed
    by `**`. A link that leads out is yielded itself, so that somebody says so.
    """
    waiting: list[tuple[Path, tuple[str, ...]]] = [(base, _drop_repeats(segments))]
    while waiting:
        path, rest = waiting.pop()
        if not rest or _leads_out(path, root):
            yield path
        elif len(path.parts) - len(base.parts) <= _DEEPEST:
            waiting += reversed(list(_list_steps(path, rest)))


def _leads_out(path: Path, root: Path) -> bool:
    return path.is_symlink() and not path.resolve().is_relative_to(root)


def _list_steps(path: Path, segments: tuple[str, ...]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    head, rest = segments[0], segments[1:]
    if head != _ANY:
        for name in _list_names(path, head, folders=bool(rest)):
            yield path / name, rest
        return
    if rest:
        yield path, rest
    for name in _list_names(path, "*", folders=True):
        if not (path / name).is_symlink():
            yield path / name, segments
    if not rest:
        yield from ((path / name, ()) for name in _list_names(path, "*", folders=False))


def _list_names(folder: Path, pattern: str, *, folders: bool) -> list[str]:
    if not has_magic(pattern):
        return [pattern] if os.path.lexists(folder / pattern) else []
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if not folders or entry.is_dir()]
    except OSError:
        return []
    return sorted(name for name in names if _is_match(name, pattern))


def _is_match(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern) and (pattern[0] == "." or name[0] != ".")


def _drop_repeats(segments: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        segment
        for at, segment in enumerate(segments)
        if segment != _ANY or not at or segments[at - 1] != _ANY
    )
