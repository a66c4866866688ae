"""A registry: the folder `evaluators/`, with a folder for each evaluator."""

import os
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from agentevals.evaluator.evaluator_manifest import FILE as MANIFEST
from agentevals.evaluator.evaluator_names import fold
from agentevals.files.document_places import quote
from agentevals.files.named_files import nearest
from agentevals.model.errors import InputError
from registry_tools.manifests import registry_entry as entries
from registry_tools.manifests.registry_entry import Entry, Ignored

FOLDER = "evaluators"


@dataclass(frozen=True, eq=False)
class Registry:
    """All entries, sorted by the names of their folders. `links` are entries that are none.

    `names` are those that somebody asked about; the others are there to be compared with.
    `changed` are the paths that differ from another branch, and `touched` the entries that they
    are about; both are None where nobody named a branch. With `changed_tools` all are checked.
    """

    root: Path
    entries: tuple[Entry, ...]
    links: tuple[str, ...] = ()
    names: frozenset[str] | None = None
    ignored: Ignored = field(default_factory=Ignored, compare=False, repr=False)
    changed: frozenset[str] | None = None
    touched: frozenset[str] | None = None
    changed_tools: bool = False

    @cached_property
    def by_name(self) -> dict[str, Entry]:
        """The entries, by the names of their folders."""
        return {entry.name: entry for entry in self.entries}

    @property
    def chosen(self) -> tuple[Entry, ...]:
        """The entries that somebody asked about, and that a change is about."""
        return tuple(entry for entry in self.entries if self._is_chosen(entry.name))

    def _is_chosen(self, name: str) -> bool:
        is_asked = self.names is None or name in self.names
        return is_asked and (self.changed_tools or self.touched is None or name in self.touched)

    def stands_unchanged(self, path: str, name: str = "") -> bool:
        """Return whether the other branch has a file as it is here, and its entry as well."""
        if self.changed is None or self.touched is None:
            return False
        return path not in self.changed and name not in self.touched

    def find_holders(self, name: str) -> list[tuple[str, str]]:
        """Return the entries that have a name or an alias, and how they spell it."""
        return self._holders.get(fold(name), [])

    @cached_property
    def _holders(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for entry in self.entries:
            aliases = entry.manifest.aliases if entry.manifest else ()
            for name in (entry.name, *aliases):
                found.setdefault(fold(name), []).append((entry.name, name))
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
        """The number of entries that have each tag."""
        listed = (entry.manifest.tags for entry in self.entries if entry.manifest)
        return Counter(tag for tags in listed for tag in dict.fromkeys(tags))


def read(root: Path, names: Collection[str] | None = None, folder: str = FOLDER) -> Registry:
    """Read the entries in `<root>/evaluators`; `names` are asked about, or all of them.

    Without a folder the entries lie in the root, and only those with these names are entries.
    Mistakes of an entry are in the entry; InputError when there is no such folder.
    """
    ignored = Ignored(root)
    asked = None if names is None else frozenset(names)
    if not folder:
        alone = tuple(entries.read(root, name, ignored) for name in sorted(asked or ()))
        return Registry(root, alone, ignored=ignored)
    folders, links = _list_folders(root / folder)
    every = (entries.read(root, f"{folder}/{name}", ignored) for name in folders)
    # git knows no empty folders, and neither do we
    found = tuple(one for one in every if not one.unreadable or one.files or one.links)
    others = tuple(f"{folder}/{link}" for link in links)
    return Registry(root, found, others, asked, ignored)


class Where(NamedTuple):
    """A registry's root, and which of its entries are asked about; None is all of them.

    `folder` is where its entries are.
    """

    root: Path
    names: frozenset[str] | None = None
    folder: str = FOLDER


def find(paths: Iterable[Path]) -> Where:
    """Return what people mean by paths: a registry, an entry of it, a file of an entry."""
    found = [_interpret(path) for path in paths]
    if len({(one.root, one.folder) for one in found}) > 1:
        msg = "these paths are in several registries; check one after the other"
        raise InputError(msg)
    names = [one.names for one in found]
    asked = None if None in names else frozenset().union(*filter(None, names))
    return Where(found[0].root, asked, found[0].folder)


def _interpret(path: Path) -> Where:
    if not path.exists():
        msg = f"{path}: there is no such file or folder{nearest(path)}"
        raise InputError(msg)
    whole = Path(os.path.abspath(path))  # noqa: PTH100 -- links are not followed
    if (whole / FOLDER).is_dir():
        return Where(whole)
    if whole.name == FOLDER and not (whole / MANIFEST).exists():
        return Where(whole.parent)
    for folder in (whole, *whole.parents):
        if folder.parent.name == FOLDER:
            return Where(folder.parent.parent, frozenset({folder.name}))
        if (folder / MANIFEST).exists():
            return Where(folder.parent, frozenset({folder.name}), "")
    msg = f"{path}: this is neither a registry, which has {FOLDER}/ in it, nor an evaluator"
    raise InputError(msg + _suggest_below(path))


def _suggest_below(path: Path) -> str:
    """Suggest an evaluator that somebody may have meant."""
    found = sorted(manifest.parent.name for manifest in path.glob(f"*/{MANIFEST}"))
    return f"; name one of those in it, such as {quote(found[0])}" if found else ""


def _list_folders(home: Path) -> tuple[list[str], list[str]]:
    try:
        with os.scandir(home) as found:
            every = list(found)
    except OSError as error:
        why = (error.strerror or "it cannot be read").lower()
        msg = f"{home}: {why}; name the folder of a registry, which has {FOLDER}/ in it"
        raise InputError(msg) from None
    folders = sorted(one.name for one in every if _is_entry(one))
    return folders, sorted(one.name for one in every if one.is_symlink())


def _is_entry(found: "os.DirEntry[str]") -> bool:
    hidden = found.name.startswith((".", "__"))
    return not hidden and found.is_dir(follow_symlinks=False)
