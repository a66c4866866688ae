"""The folders of a registry become its index.

What is published stays as it is until something correct takes its place: an entry that cannot be
listed costs only itself, and one that was listed stays at the commit at which it was correct.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec.structs import replace

from agentevals.evaluator import evaluator_files
from agentevals.evaluator.evaluator_manifest import FILE
from agentevals.evaluator.evaluator_names import fold
from agentevals.evaluator.registry_index import Earlier, Index, IndexEntry, digest
from agentevals.files.document_places import quote
from agentevals.model.errors import BEGIN
from agentevals.model.results import Severity
from registry_tools.index import index_updates
from registry_tools.index.index_folders import Folder, UnlistedError, build_entry, format_time
from registry_tools.index.index_repository import Change
from registry_tools.manifests.registry_finding import Finding
from registry_tools.manifests.registry_folder import FOLDER
from registry_tools.manifests.registry_tombstones import Tombstones

_Given = TypeVar("_Given")

_RULE = "unlisted"
NO_INDEX = Index(evaluators=())


@dataclass(frozen=True)
class Sources:
    """Everything that an index is made from.

    `published` is the index before, and `recovered` reads one of its entries anew from its commit;
    None where the entry is not what its commit says. `earlier` finds older versions. `slips` are
    the decisions that cannot be read.
    """

    folders: list[Folder]
    tombstones: Tombstones = field(default_factory=Tombstones)
    published: Index = NO_INDEX
    last: Change | None = None
    recovered: Callable[[IndexEntry], IndexEntry | None] = field(default=lambda _: None)
    earlier: Callable[[IndexEntry], tuple[Earlier, ...]] = field(default=lambda _: ())
    slips: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Compiled:
    """An index, and what is not listed as it stands."""

    index: Index
    findings: tuple[Finding, ...] = ()


def compile_index(sources: Sources) -> Compiled:
    """Compile the index, sorted by code point."""
    work = _Work(sources)
    work.run()
    last = sources.last
    index = Index(
        generated=format_time(last),
        commit=last.commit if last else "",
        evaluators=tuple(work.finish(name) for name in sorted(work.listed)),
        removed=sources.tombstones.list_removed(),
    )
    return Compiled(index, tuple(work.list_findings()))


class _Work:
    """The listed entries, the refused ones with the reason, and the ones that stay as before."""

    def __init__(self, sources: Sources) -> None:
        self.listed: dict[str, IndexEntry] = {}
        self._sources = sources
        self._refused: dict[str, UnlistedError] = {}
        self._stays: set[str] = set()
        self._before = {entry.name: _drop_compiled(entry) for entry in sources.published.evaluators}

    def run(self) -> None:
        for folder in self._sources.folders:
            self._attempt(folder.name, self._accept, folder)
        self._refuse_rivals()
        for name in self._before:
            if name not in self.listed and name not in self._refused:
                self._note_vanished(name)
        for name in sorted(self._refused):
            self._keep_listed(name)

    def _attempt(self, name: str, accept: Callable[[_Given], None], given: _Given) -> None:
        try:
            accept(given)
        except UnlistedError as why:
            self.listed.pop(name, None)
            self._refused[name] = why

    def _accept(self, folder: Folder) -> None:
        if folder.name in self._sources.tombstones.removed:
            message = "its tombstone says that it was removed"
            raise UnlistedError(message, "choose another name, or take the tombstone away")
        entry = build_entry(folder)
        before = self._before.get(folder.name)
        if before is not None:
            self._update(_drop(before, folder.unreviewable), entry, folder)
        self.listed[folder.name] = entry

    def _update(self, before: IndexEntry, entry: IndexEntry, folder: Folder) -> None:
        """Refuse a forbidden update; a record that the history does not confirm forbids nothing."""
        misfit = next(index_updates.find_misfits(before, entry, self._sources.tombstones), None)
        if misfit and self._sources.recovered(before) is not None:
            at = folder.document.locate(misfit.where) if folder.document else BEGIN
            raise UnlistedError(misfit.message, misfit.fix, at)

    def _refuse_rivals(self) -> None:
        """Refuse names that nobody can tell apart; the first entry listed keeps its name."""
        holders = _Holders()
        for name in sorted(self.listed, key=lambda name: (name not in self._before, name)):
            self._attempt(name, holders.claim, self.listed[name])

    def _note_vanished(self, name: str) -> None:
        if name not in self._sources.tombstones.removed:
            message = "its folder is gone, and there is no record"
            self._refused[name] = UnlistedError(
                message, f"run agentevals registry remove {name} --reason '…'"
            )

    def _keep_listed(self, name: str) -> None:
        before = self._before.get(name)
        if before is None or name in self._sources.tombstones.removed:
            return
        recovered = self._sources.recovered(before)
        if recovered is not None:
            self.listed[name] = recovered
            self._stays.add(name)

    def finish(self, name: str) -> IndexEntry:
        """Return an entry with its earlier versions and withdrawals."""
        entry = self.listed[name]
        withdrawn = self._sources.tombstones.yanked.get(name, {})
        earlier = tuple(
            replace(one, yanked=withdrawn.get(one.version, one.yanked))
            for one in self._sources.earlier(entry)
        )
        yanked = withdrawn.get(entry.version, entry.yanked)
        return replace(entry, earlier=earlier, yanked=yanked)

    def list_findings(self) -> Iterator[Finding]:
        for name in sorted(self._refused):
            why = self._refused[name]
            stays = name in self._stays
            what = f"stays listed as of {self.listed[name].commit[:12]}" if stays else "not listed"
            yield warn(name, f"{what}: {why.message}", FILE, why.fix, why.at.line, why.at.column)
        for folder in self._sources.folders:
            if folder.name not in self._refused:
                yield from _warn_of_unlisted(folder)


def _drop_compiled(entry: IndexEntry) -> IndexEntry:
    """Return an entry of an older index without compiled files, which it could still list."""
    kept = evaluator_files.drop_compiled(entry.files)
    gone = {name: entry.files[name] for name in entry.files if name not in kept}
    return _drop(entry, gone)


def _drop(entry: IndexEntry, gone: Mapping[str, str]) -> IndexEntry:
    """Return an entry of an older index without files that it could still list."""
    files = {n: said for n, said in entry.files.items() if gone.get(n) != said}
    if len(files) == len(entry.files):
        return entry
    return replace(entry, files=files, sha256=digest(files))


def _warn_of_unlisted(folder: Folder) -> Iterator[Finding]:
    for what, names in (("compiled", folder.compiled), ("binary or long", folder.unreviewable)):
        first, *others = names or ("",)
        if first:
            more = f" and {len(others):,} more" if others else ""
            message = f"{what} files are never listed: {quote(first)}{more}"
            yield warn(folder.name, message, first, fix="remove them, and list them in .gitignore")


def warn(  # noqa: PLR0913, PLR0917 -- what a finding has
    name: str,
    message: str,
    file: str = "",
    fix: str = "",
    line: int | None = None,
    column: int | None = None,
) -> Finding:
    """Return a warning about an entry that is not listed as it is."""
    path = f"{FOLDER}/{name}/{file}".removesuffix("/")
    return Finding(_RULE, Severity.WARNING, message, path, line, column, fix=fix, entry=name)


class _Holders:
    """The entry that holds each name, in any spelling."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def claim(self, entry: IndexEntry) -> None:
        """Claim the name and the aliases of an entry, or none of them."""
        for name in (entry.name, *entry.aliases):
            holder = self._names.get(fold(name), entry.name)
            if holder != entry.name:
                message = f"{quote(name)} cannot be told apart from {quote(holder)}"
                raise UnlistedError(message, "choose another name")
        for name in (entry.name, *entry.aliases):
            self._names[fold(name)] = entry.name
