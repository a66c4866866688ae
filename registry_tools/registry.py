"""A registry: the folder `evaluators/`, with a folder for each evaluator."""

import os
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from agentevals.errors import InputError
from registry_tools import entry as entries
from registry_tools.entry import Entry
from registry_tools.ignored import Ignored
from registry_tools.names import folded, similar

FOLDER = "evaluators"


@dataclass(frozen=True, eq=False)
class Registry:
    """All entries, sorted by the names of their folders. `links` are entries that are none.

    `names` are those that somebody asked about; the others are there to be compared with.
    """

    root: Path
    entries: tuple[Entry, ...]
    links: tuple[str, ...] = ()
    names: frozenset[str] | None = None
    ignored: Ignored = field(default_factory=Ignored, compare=False, repr=False)

    @cached_property
    def by_name(self) -> dict[str, Entry]:
        """The entries by the names of their folders."""
        return {entry.name: entry for entry in self.entries}

    @property
    def chosen(self) -> tuple[Entry, ...]:
        """The entries that somebody asked about."""
        asked = self.names
        return tuple(entry for entry in self.entries if asked is None or entry.name in asked)

    @cached_property
    def similar(self) -> dict[str, list[str]]:
        """Names that one could mistype for each other."""
        return similar(self.by_name)

    def holders(self, name: str) -> list[tuple[str, str]]:
        """Which entries are called so, and how they spell it: their name, or an alias."""
        return self._holders.get(folded(name), [])

    @cached_property
    def _holders(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for entry in self.entries:
            aliases = entry.manifest.aliases if entry.manifest else ()
            for name in (entry.name, *aliases):
                found.setdefault(folded(name), []).append((entry.name, name))
        return found

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each login, as the first entry that names it has it."""
        found: dict[str, int] = {}
        for entry in self.entries:
            for person in entry.manifest.maintainers if entry.manifest else ():
                found.setdefault(person.login.lower(), person.id)
        return found

    @cached_property
    def tags(self) -> Counter[str]:
        """How many entries have each tag."""
        listed = (entry.manifest.tags for entry in self.entries if entry.manifest)
        return Counter(tag for tags in listed for tag in dict.fromkeys(tags))


def read(root: Path, names: Collection[str] | None = None) -> Registry:
    """What lies in `<root>/evaluators`; `names` are asked about, all of them without any.

    What is wrong with an entry is in the entry; InputError when there is no such folder.
    """
    ignored = Ignored(root)
    folders, links = _folders(root)
    found = tuple(entries.read(root, f"{FOLDER}/{folder}", ignored) for folder in folders)
    others = tuple(f"{FOLDER}/{link}" for link in links)
    asked = None if names is None else frozenset(names)
    return Registry(root, found, others, asked, ignored)


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
