"""The main line of a registry: when folders changed, and which versions there were.

The committed index is only believed as far as this confirms it: whoever writes an index into a
pull request publishes nothing that never was on the main line.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from agentevals.evaluator import registry_index as indexes
from agentevals.evaluator.evaluator_manifest import FILE as MANIFEST
from agentevals.evaluator.evaluator_manifest import NAME, VERSION
from agentevals.evaluator.registry_index import Earlier, IndexEntry
from registry_tools.index import index_folders, index_updates
from registry_tools.index.index_folders import Folder, UnlistedError, build_entry
from registry_tools.index.index_repository import Change, Repository
from registry_tools.manifests.registry_folder import FOLDER

_MOST_EARLIER = 20  # versions of one evaluator
_WRITTEN = re.compile(
    rb"""^version:[ \t]*["']?([^\s"'#]{1,100})["']?[ \t]*(?:#.*)?$""", re.MULTILINE
)


class History:
    """The main line that leads to a commit."""

    def __init__(self, found: Repository, commit: str) -> None:
        self._repository, self._commit = found, commit
        self.last: Change | None = None
        self.latest: dict[str, Change] = {}
        self._manifests: dict[str, list[Change]] = {}
        for change, paths in found.list_changes(commit, FOLDER):
            self.last = self.last or change
            self._record_change(change, paths)

    def _record_change(self, change: Change, paths: Iterable[str]) -> None:
        for path in paths:
            parts = path.split("/", 2)
            if len(parts) == 1:  # the folder itself, which was a link then
                continue
            self.latest.setdefault(parts[1], change)
            if parts[2:] == [MANIFEST]:
                self._manifests.setdefault(parts[1], []).append(change)

    @cached_property
    def _main_line(self) -> dict[str, int]:
        return self._repository.read_main_line(self._commit)

    def recover(self, entry: IndexEntry) -> IndexEntry | None:
        """Read a published entry again; None where it never was on the main line like that."""
        time = self._main_line.get(entry.commit)
        if time is None or not re.match(NAME, entry.name):
            return None
        (folder,) = self._read_folders([(entry.name, Change(entry.commit, time))])
        found = _try_entry(folder)
        every = indexes.digest({**folder.files, **folder.unreviewable})
        return found if found and entry.sha256 in {found.sha256, every} else None

    def list_earlier(self, entry: IndexEntry) -> tuple[Earlier, ...]:
        """Return earlier versions, each as it was at first; the newest first."""
        found = self._versions.get(entry.name, {})
        others = [version for version in found if version != entry.version]
        newest = sorted(others, key=index_updates.parse_version, reverse=True)[:_MOST_EARLIER]
        return tuple(found[version] for version in newest) if entry.version else ()

    @cached_property
    def _versions(self) -> dict[str, dict[str, Earlier]]:
        """Earlier versions by name, read at once: git is asked a few times for all of them."""
        first = self._find_first_changes()
        entries = self._read_entries([(name, change) for name, _, change in first])
        found: dict[str, dict[str, Earlier]] = {}
        for (name, version, _), entry in zip(first, entries, strict=True):
            if entry is not None and entry.version == version:
                found.setdefault(name, {})[version] = describe_earlier(entry)
        return found

    def _find_first_changes(self) -> list[tuple[str, str, Change]]:
        """Return each version of evaluators with several, and the change that brought it."""
        places = [
            (name, change)
            for name, changes in self._manifests.items()
            if len(changes) > 1 and re.match(NAME, name)
            for change in changes
        ]
        prefix = self._repository.prefix
        specs = [f"{one.commit}:{prefix}{FOLDER}/{name}/{MANIFEST}" for name, one in places]
        found: dict[tuple[str, str], Change] = {}
        for (name, change), content in zip(
            places, self._repository.read_contents(specs), strict=True
        ):
            said = _WRITTEN.search(content or b"")
            version = said[1].decode("utf-8", "replace") if said else ""
            if re.match(VERSION, version):
                found[name, version] = change  # the oldest comes last
        return [(*key, change) for key, change in found.items()]

    def _read_entries(self, asked: Sequence[tuple[str, Change]]) -> list[IndexEntry | None]:
        """Return the entries of evaluators at commits; None where one is broken."""
        return [_try_entry(folder) for folder in self._read_folders(asked)]

    def _read_folders(self, asked: Sequence[tuple[str, Change]]) -> list[Folder]:
        """Return the folders of evaluators at commits."""
        where = [(change.commit, f"{FOLDER}/{name}") for name, change in asked]
        listed = [
            index_folders.list_folder(name, blobs, change)
            for (name, change), blobs in zip(
                asked, self._repository.list_folders(where), strict=True
            )
        ]
        return index_folders.read_committed(self._repository, listed)


def _try_entry(folder: Folder) -> IndexEntry | None:
    try:
        return build_entry(folder)
    except UnlistedError:
        return None


def describe_earlier(entry: IndexEntry) -> Earlier:
    """Describe an entry as an earlier version."""
    return Earlier(
        version=entry.version,
        commit=entry.commit,
        path=entry.path,
        sha256=entry.sha256 or indexes.digest(entry.files),
        files=entry.files,
        yanked=entry.yanked,
        updated=entry.updated,
    )
