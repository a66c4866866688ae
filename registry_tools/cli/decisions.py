"""Decisions about published evaluators, as the commands write them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from agentevals.evaluator.index import Index, IndexEntry
from agentevals.files import atomic
from agentevals.files.places import quote
from agentevals.model.errors import ConfigError, InputError, Problem
from agentevals.model.plugins import suggestion
from registry_tools.index import build, repository
from registry_tools.manifests import decision_text, registry, tombstones
from registry_tools.manifests.decision_text import Where
from registry_tools.manifests.registry import FOLDER, Registry
from registry_tools.manifests.tombstones import FILE, REMOVED, YANKED, Tombstones

_MOST = 50  # names that a guess is made from


@dataclass(frozen=True)
class Desk:
    """A registry whose maintainer decides: its folder, its history and its file of decisions."""

    root: Path

    @cached_property
    def here(self) -> Registry:
        return registry.read(registry.find([self.root]).root)

    @property
    def path(self) -> Path:
        return self.here.root / FILE

    @cached_property
    def decisions(self) -> Tombstones:
        """The decisions so far; ConfigError with every problem where the file is broken."""
        found, problems = tombstones.read_folder(self.here)
        if problems:
            raise ConfigError(
                Problem(message=one.advice, path=str(self.path), at=one.at) for one in problems
            )
        return found

    @cached_property
    def index(self) -> Index:
        """The index of the branch here, with earlier versions."""
        return build.build_index(self.here.root).index

    def get_entry(self, name: str) -> IndexEntry:
        """Return an entry that is listed, or InputError with the nearest name."""
        listed = {entry.name: entry for entry in self.index.evaluators}
        if name in listed:
            return listed[name]
        if said := self.decisions.removed.get(name):
            msg = f"{quote(name)} was removed already: {said.reason}"
            raise InputError(msg)
        msg = f"there is no evaluator {quote(name)} here{suggestion(name, list(listed)[:_MOST])}"
        raise InputError(msg)

    def was_there(self, name: str) -> bool:
        """Return whether there is such an evaluator, or ever was one."""
        if name in self.here.by_name or any(e.name == name for e in self.index.evaluators):
            return True
        found = repository.find(self.here.root)
        if found is None:
            return False
        commit = found.resolve("HEAD")
        if any(entry.name == name for entry in build.read_published(found, commit).evaluators):
            return True
        return next(iter(found.list_changes(commit, f"{FOLDER}/{name}")), None) is not None

    def refuse_unknown(self, name: str) -> None:
        """Raise InputError for an evaluator that never was."""
        if not self.was_there(name):
            self.get_entry(name)

    def record(self, where: Where, value: Any) -> None:
        """Write a decision, in the place of an earlier one about the same."""
        text = self._read()
        section, *names = where
        if names == [name for name in names if name in getattr(self.decisions, section)]:
            text = decision_text.drop(text, where)
        self._write(decision_text.put(text, where, value))

    def take_back(self, where: Where) -> None:
        """Remove a decision."""
        self._write(decision_text.drop(self._read(), where))

    def _read(self) -> str:
        """Return the text of the file, which nothing is wrong with."""
        is_there = self.decisions is not None and self.path.exists()
        return self.path.read_text(encoding="utf-8") if is_there else ""

    def _write(self, text: str) -> None:
        mode = self.path.stat().st_mode & 0o777 if self.path.exists() else 0o644
        try:
            atomic.write(self.path, text.encode(), mode=mode)
        except OSError as error:
            msg = f"{self.path}: cannot be written to: {(error.strerror or 'unknown').lower()}"
            raise InputError(msg) from None


def list_versions(entry: IndexEntry) -> Iterator[str]:
    """Yield the versions that an entry has had, the newest first."""
    yield from filter(None, (entry.version, *(one.version for one in entry.earlier)))


def find_decision(desk: Desk, name: str, version: str) -> Where:
    """Return the decision that withdraws a version or an evaluator, or InputError."""
    where = (YANKED, name, version) if version else (REMOVED, name)
    known = desk.decisions.yanked.get(name, {}) if version else desk.decisions.removed
    if where[-1] in known:
        return where
    what = f"{name} {version}" if version else name
    known_names = list(known)[:_MOST]
    hint = suggestion(where[-1], known_names) if known_names else ""
    if not version and name in desk.decisions.yanked:
        hint = f"; withdrawn are its versions {', '.join(desk.decisions.yanked[name])}"
    msg = f"{FILE} says nothing of {quote(what)}{hint}"
    raise InputError(msg)
