"""The changes of a branch in a registry: each evaluator beside its published version."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from agentevals.evaluator import head_signatures
from agentevals.evaluator.evaluator_manifest import Maintainer
from agentevals.evaluator.registry_head import HEAD
from agentevals.evaluator.registry_index import IndexEntry
from agentevals.files.document_places import quote
from agentevals.model.errors import InputError
from registry_tools.index import index_folders, index_repository
from registry_tools.index.index_folders import Folder, UnlistedError, build_entry
from registry_tools.index.index_repository import Blob, Repository, read_blob
from registry_tools.index.index_serialise import FOLDER as EACH
from registry_tools.index.index_serialise import JSON, YAML
from registry_tools.manifests import changed_entries, registry_folder, registry_tombstones
from registry_tools.manifests import registry_entry as entries
from registry_tools.manifests.owner_agreement import Agreement, Ask
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_folder import FOLDER, Registry
from registry_tools.manifests.registry_tombstones import FILE, Recorded, Tombstones

GENERATED = (YAML, JSON, HEAD, *head_signatures.FORMS, EACH, "index")


@dataclass(frozen=True)
class Pair:
    """An evaluator as it is on the other branch, and as it would be; None where it is not.

    `unlisted` is why it would not be listed although its folder is there.
    """

    name: str
    old: IndexEntry | None
    new: IndexEntry | None
    entry: Entry | None = None
    unlisted: UnlistedError | None = None


@dataclass(frozen=True)
class Proposal:
    """The working tree beside a branch. Only what changed since they parted is looked at."""

    registry: Registry
    base: str
    repository: Repository = field(repr=False)
    ask: Ask = field(repr=False)

    @cached_property
    def agreement(self) -> Agreement:
        """Ask who agreed to other owners and to decisions, where that matters."""
        return self.ask()

    @cached_property
    def tip(self) -> str:
        """The commit that it is compared with."""
        return self.repository.resolve(self.base)

    @cached_property
    def fork(self) -> str:
        """The commit at which the branches parted."""
        done = self.repository.attempt("merge-base", self.tip, "HEAD")
        if done.returncode:
            why = "have nothing in common here; check out with fetch-depth: 0"
            msg = f"{quote(self.base)} and HEAD {why}, or name another branch"
            raise InputError(msg)
        return done.stdout.decode("ascii").split()[0]

    @cached_property
    def decisions(self) -> Recorded:
        """The decisions of the working tree: one may come with its change."""
        return registry_tombstones.read_folder(self.registry)

    @cached_property
    def decisions_before(self) -> Recorded | None:
        """The decisions where the branches parted; None where there was no file."""
        return self._read_decisions(self.fork)

    @cached_property
    def decisions_at_tip(self) -> Recorded:
        """The decisions of the other branch: whoever may decide has merged them."""
        return self._read_decisions(self.tip) or Recorded(Tombstones())

    def _read_decisions(self, commit: str) -> Recorded | None:
        blobs = self.repository.list_blobs(commit, FILE)
        content = read_blob(self.repository, blobs, FILE)
        return None if content is None else registry_tombstones.read(content)

    def list_owners(self, name: str) -> tuple[Maintainer, ...]:
        """Return who maintains an evaluator, as the other branch has it."""
        found = (_try_entry(folder)[0] for folder in self._read_before(frozenset({name})))
        return next((entry.maintainers for entry in found if entry), ())

    @property
    def pairs(self) -> Iterator[Pair]:
        """The evaluators that changed, by name."""
        before = {folder.name: folder for folder in self._read_before(self._touched)}
        after = {folder.name: folder for folder in index_folders.read_registry(self._choose())}
        for name in sorted({*before, *after} & self._touched):
            old, _ = _try_entry(before.get(name))
            new, why = _try_entry(after.get(name))
            if old != new or why:
                yield Pair(name, old, new, self.registry.by_name.get(name), why)

    def find_renames(self) -> dict[str, str]:
        """Return the folders whose files git finds in another folder, with that folder."""
        words = ("-r", "-z", "--find-renames", "--diff-filter=R", "--name-status")
        told = self.repository.ask("diff-tree", *words, self.fork, "HEAD", "--", FOLDER)
        names = [os.fsdecode(name) for name in told.split(b"\0")]
        moves = Counter(zip(*(map(self._name_folder, names[at::3]) for at in (1, 2)), strict=False))
        return {old: new for (old, new), _ in reversed(moves.most_common()) if old != new}

    def _name_folder(self, path: str) -> str:
        return path.removeprefix(f"{self.repository.prefix}{FOLDER}/").partition("/")[0]

    def list_generated(self) -> list[str]:
        """List changed files that only the publisher may write."""
        prefix = self.repository.prefix
        where = [f"{prefix}{path}" for path in GENERATED]
        found = changed_entries.list_differing(self.registry.root, self.fork, *where)
        return [os.fsencode(name.removeprefix(prefix)).decode("utf-8", "replace") for name in found]

    @contextmanager
    def check_out(self, name: str) -> Iterator[Entry]:
        """Write the old files of an evaluator to a folder of their own."""
        blobs = [blob for blob in self._blobs if blob.path.startswith(f"{FOLDER}/{name}/")]
        contents = self.repository.read_contents([blob.oid for blob in blobs])
        with TemporaryDirectory(prefix="agentevals-before-") as folder:
            root = Path(folder)
            for blob, content in zip(blobs, contents, strict=True):
                target = root / blob.path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content or b"")
            yield entries.read(root, f"{FOLDER}/{name}")

    @cached_property
    def _blobs(self) -> list[Blob]:
        return self.repository.list_blobs(self.tip, FOLDER)

    @property
    def _touched(self) -> frozenset[str]:
        """The names of changed evaluators that somebody asked about."""
        touched, asked = self.registry.touched or frozenset(), self.registry.names
        return touched if asked is None else touched & asked

    def _read_before(self, names: frozenset[str]) -> list[Folder]:
        listed = index_folders.group_blobs(self._blobs, {})
        asked = [folder for folder in listed if folder.name in names]
        return index_folders.read_committed(self.repository, asked)

    def _choose(self) -> Registry:
        asked = tuple(entry for entry in self.registry.entries if entry.name in self._touched)
        return Registry(self.registry.root, asked, (), None, self.registry.ignored)


def read(root: Path, base: str, ask: Ask) -> Proposal:
    """Read the changes of the working tree, or raise InputError."""
    found = _find_repository(root)
    return Proposal(changed_entries.narrow(registry_folder.read(root), base), base, found, ask)


def compare(narrowed: Registry, base: str, ask: Ask) -> Proposal:
    """Return the changes of a registry that was narrowed to them, or raise InputError."""
    return Proposal(narrowed, base, _find_repository(narrowed.root), ask)


def _find_repository(root: Path) -> Repository:
    found = index_repository.find(root)
    if found is None:
        msg = f"{root}: this is no git repository with a commit; there is nothing to compare with"
        raise InputError(msg)
    return found


def _try_entry(folder: Folder | None) -> tuple[IndexEntry | None, UnlistedError | None]:
    try:
        return (build_entry(folder) if folder else None), None
    except UnlistedError as why:
        return None, why
