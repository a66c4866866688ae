"""`agentevals registry why`: why an evaluator is listed or not: all between folder and index."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated

import typer

from agentevals.evaluator import registry_index as indexes
from agentevals.evaluator.evaluator_manifest import NAME
from agentevals.evaluator.evaluator_names import fold
from agentevals.evaluator.registry_index import Index, IndexEntry
from agentevals.files.document_places import quote
from agentevals.model.errors import InputError, UnavailableError
from agentevals.model.results import Severity
from registry_tools import rules
from registry_tools.cli import Root, print_line
from registry_tools.index import index_build, index_repository
from registry_tools.index.index_build import Built
from registry_tools.index.index_compile import NO_INDEX
from registry_tools.index.index_repository import Repository
from registry_tools.index.index_serialise import JSON, YAML
from registry_tools.manifests import registry_folder
from registry_tools.manifests.registry_folder import FOLDER, Registry

_MOST = 10  # findings that are repeated


def why(
    name: Annotated[str, typer.Argument(help="The name of an evaluator")],
    root: Root = Path(),
    base: Annotated[str, typer.Option(metavar="REF", help="The published branch")] = "origin/main",
) -> None:
    """Print why an evaluator is not in the index.

    Examples:

      agentevals registry why politeness

    Exit codes: 0 it is in the index; 1 it is not; 2 unknown.
    """
    answer = _explain(root, name, base)
    for sentence in answer.sentences:
        print_line(sentence)
    raise typer.Exit(0 if answer.listed else 1)


@dataclass(frozen=True)
class _Answer:
    """The answer: listed or not, and the reasons."""

    listed: bool
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class _Place:
    """A registry: its folder, its commit, its published index and its main branch."""

    root: Path
    base: str

    @cached_property
    def built(self) -> Built:
        return index_build.build_index(self.root)

    @cached_property
    def here(self) -> Registry:
        return registry_folder.read(self.root)

    @cached_property
    def repository(self) -> Repository | None:
        return index_repository.find(self.root)

    @cached_property
    def published(self) -> Index:
        for name in (JSON, YAML):
            path = self.root / name
            if path.is_file():
                return _parse(path)
        return NO_INDEX


def _explain(root: Path, name: str, base: str) -> _Answer:
    """Explain everything that is known about a name."""
    place = _Place(root, base)
    asked = name.partition("@")[0].strip("/").removeprefix(f"{FOLDER}/").partition("/")[0]
    made = {entry.name: entry for entry in place.built.index.evaluators}
    if asked in made:
        return _explain_entry(place, made[asked])
    said = dict.fromkeys(_explain_missing(place, asked))
    return _Answer(listed=False, sentences=tuple(said) or (_explain_silence(place, asked),))


def _explain_entry(place: _Place, entry: IndexEntry) -> _Answer:
    """Explain an entry of this commit's index, which need not be published."""
    about = list(_describe(entry))
    reasons = [one.message for one in place.built.findings if one.entry == entry.name]
    there = next((one for one in place.published.evaluators if one.name == entry.name), None)
    if there is None:
        stale = f"{entry.name} is compiled, but the index here does not list it: it is stale"
        what = "agentevals registry publish brings it up to date"
        return _Answer(listed=False, sentences=(f"{stale}; {what}", *reasons, *about))
    listed = f"{entry.name} is listed: {there.path}"
    if there.version != entry.version:
        stale = f"the index here still lists {there.version or 'no version'}; it is stale"
        return _Answer(listed=True, sentences=(listed, stale, *reasons, *about))
    return _Answer(listed=True, sentences=(listed, *reasons, *about))


def _describe(entry: IndexEntry) -> Iterator[str]:
    if entry.version:
        yield f"version {entry.version}, of commit {entry.commit[:12] or 'none'}"
    if entry.yanked:
        yield f"it was withdrawn: {entry.yanked}"
    if entry.deprecated:
        yield f"it should not be used any more: {entry.deprecated}"
    if entry.replaced_by:
        yield f"use {entry.replaced_by} instead"


def _explain_missing(place: _Place, name: str) -> Iterator[str]:
    yield from _list_other_names(place, name)
    if not re.match(NAME, name):
        return
    for one in place.built.findings:
        if one.entry == name:
            yield one.describe()
    if name in place.here.by_name:
        yield from _note_uncommitted(place, name)
        yield from _list_findings(place, name)
    else:
        yield from _look_elsewhere(place, name)


def _list_other_names(place: _Place, name: str) -> Iterator[str]:
    index = place.built.index
    for entry in index.evaluators:
        if fold(name) in {fold(alias) for alias in entry.aliases}:
            yield f"{name} is another name of {entry.name}, which is listed"
        elif fold(entry.name) == fold(name):
            yield f"it is written {entry.name}, and that is listed"
    if name in index.removed:
        removed = index.removed[name]
        instead = f"; use {removed.replaced_by} instead" if removed.replaced_by else ""
        yield f"{name} was removed: {removed.reason}{instead}"


def _note_uncommitted(place: _Place, name: str) -> Iterator[str]:
    found = place.repository
    if found is None:
        return
    if not found.list_blobs("HEAD", f"{FOLDER}/{name}"):
        yield f"{FOLDER}/{name} is here, but not committed; git add and commit it"


def _list_findings(place: _Place, name: str) -> Iterator[str]:
    """List all findings of its manifest; the index has only the first one."""
    alone = registry_folder.read(place.root, [name])
    errors = [one for one in rules.check_registry(alone) if one.severity is Severity.ERROR]
    for one in errors[:_MOST]:
        yield one.describe()
    if len(errors) > _MOST:
        yield f"and {len(errors) - _MOST} more: agentevals registry validate {FOLDER}/{name}"


def _look_elsewhere(place: _Place, name: str) -> Iterator[str]:
    """Look on another branch and in the past."""
    found = place.repository
    if found is None:
        return
    try:
        there = bool(found.list_blobs(found.resolve(place.base), f"{FOLDER}/{name}"))
    except InputError:
        there = False
    if there:
        yield f"{FOLDER}/{name} is on {place.base}, but not in what is checked out; pull it"
        return
    changes = found.list_changes(found.resolve("HEAD"), f"{FOLDER}/{name}")
    last = next(changes, None)
    if last is not None:
        yield f"{FOLDER}/{name} was there until commit {last[0].commit[:12]}"


def _explain_silence(place: _Place, name: str) -> str:
    known = [entry.name for entry in place.built.index.evaluators]
    near = get_close_matches(name, [*known, *place.here.by_name], n=1)
    hint = f"; did you mean {quote(near[0])}?" if near else ""
    return f"nobody here knows {quote(name)}{hint}"


def _parse(path: Path) -> Index:
    try:
        return indexes.parse(path.read_bytes(), where=path.name)
    except UnavailableError:
        return NO_INDEX
