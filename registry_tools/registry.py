"""A registry: the folder `evaluators/`, with a folder for each evaluator."""

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from agentevals.errors import InputError
from registry_tools import entry as entries
from registry_tools.entry import Entry
from registry_tools.ignored import Ignored

FOLDER = "evaluators"


@dataclass(frozen=True)
class Registry:
    """All entries, sorted by the names of their folders. `links` are entries that are none."""

    root: Path
    entries: tuple[Entry, ...]
    links: tuple[str, ...] = ()
    ignored: Ignored = field(default_factory=Ignored, compare=False, repr=False)

    @cached_property
    def by_name(self) -> dict[str, Entry]:
        """The entries by the names of their folders."""
        return {entry.name: entry for entry in self.entries}


def read(root: Path, only: Collection[str] | None = None) -> Registry:
    """What lies in `<root>/evaluators`, or only the entries of these names.

    What is wrong with an entry is in the entry; InputError when there is no such folder.
    """
    ignored = Ignored(root)
    folders, links = _folders(root)
    wanted = [name for name in folders if only is None or name in only]
    found = tuple(entries.read(root, f"{FOLDER}/{name}", ignored) for name in wanted)
    return Registry(root, found, tuple(f"{FOLDER}/{name}" for name in links), ignored)


def _folders(root: Path) -> tuple[list[str], list[str]]:
    try:
        with os.scandir(root / FOLDER) as found:
            every = list(found)
    except OSError as error:
        why = (error.strerror or "it cannot be read").lower()
        msg = f"{root / FOLDER}: {why}; name the folder of a registry, which has {FOLDER}/ in it"
        raise InputError(msg) from None
    folders = sorted(one.name for one in every if _is_entry(one))
    return folders, sorted(one.name for one in every if one.is_symlink())


def _is_entry(found: "os.DirEntry[str]") -> bool:
    hidden = found.name.startswith((".", "__"))
    return not hidden and found.is_dir(follow_symlinks=False) and _has_files(found)


def _has_files(folder: "os.DirEntry[str]") -> bool:
    """Git knows no empty folders, and neither do we."""
    return any(True for _ in _scan(folder.path))


def _scan(path: str) -> Iterator[str]:
    try:
        with os.scandir(path) as found:
            yield from (one.name for one in found)
    except OSError:
        yield path  # it is there, and reading its manifest will say what is wrong
