"""The folders of evaluators as they are published: their files and their manifest."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

import msgspec
from msgspec import structs

from agentevals.evaluator import folders
from agentevals.evaluator import manifest as manifests
from agentevals.evaluator.index import Capabilities, IndexEntry, Maintainer, Runtime, digest
from agentevals.evaluator.manifest import FILE, Manifest
from agentevals.files import yaml_strict
from agentevals.files.places import quote
from agentevals.files.yaml_strict import StrictDocument
from agentevals.model.errors import BEGIN, Extent, InputError
from registry_tools.index.repository import Blob, Change, Repository
from registry_tools.manifests.registry import FOLDER, Registry
from registry_tools.rules import schema

_TOO_LARGE = f"it has more than {folders.MOST_BYTES >> 20} MiB"


@dataclass(frozen=True)
class Folder:
    """The files that a client fetches. `objection` is the reason why nobody can fetch them.

    `compiled` are files that lie there and are never listed: they could run, and nobody reads them.
    """

    name: str
    files: dict[str, str] = field(default_factory=dict)
    document: StrictDocument | None = None
    size: int = 0
    objection: str = ""
    change: Change | None = None
    compiled: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """The files of one folder at a commit, and the commit."""

    name: str
    blobs: Sequence[Blob]
    change: Change | None = None
    compiled: tuple[str, ...] = ()


def group_places(blobs: Sequence[Blob], changes: Mapping[str, Change]) -> list[Place]:
    """Group files of a commit by their folders."""
    groups = groupby(_filter_blobs(blobs), key=lambda blob: blob.path.split("/", 2)[1])
    return [Place(name, list(group), changes.get(name)) for name, group in groups]


def read_committed(repository: Repository, asked: Sequence[Place]) -> list[Folder]:
    """Read the folders as they were committed, in the same order."""
    found = [_drop_compiled(place) for place in asked]
    objections = [_find_objection(place) for place in found]
    wanted = [
        blob.oid
        for place, objection in zip(found, objections, strict=True)
        for blob in (() if objection else place.blobs)
    ]
    contents = repository.read_contents(wanted)
    return [
        Folder(place.name, objection=objection, change=place.change, compiled=place.compiled)
        if objection
        else _hash_files(place, contents)
        for place, objection in zip(found, objections, strict=True)
    ]


def read_registry(registry: Registry) -> list[Folder]:
    """Read the folders of a registry without git."""
    return [
        Folder(link.rpartition("/")[2], objection="it is a symbolic link")
        for link in registry.links
    ] + [_read_folder(registry, name) for name in sorted(registry.by_name)]


def _filter_blobs(blobs: Sequence[Blob]) -> Iterator[Blob]:
    for blob in blobs:
        parts = blob.path.split("/", 2)
        if len(parts) > 2 - (blob.size < 0) and not parts[1].startswith((".", "__")):
            yield blob


def _drop_compiled(place: Place) -> Place:
    """Drop compiled files. Links stay: whatever their name is, they are an objection."""
    compiled = [b for b in place.blobs if b.size >= 0 and folders.is_compiled(_strip_folder(b))]
    if not compiled:
        return place
    others = [blob for blob in place.blobs if blob not in compiled]
    return replace(place, blobs=others, compiled=tuple(map(_strip_folder, compiled)))


def _strip_folder(blob: Blob) -> str:
    return blob.path.split("/", 2)[2]


def _find_objection(place: Place) -> str:
    """Return why a folder cannot be fetched, whatever its manifest says."""
    for blob in place.blobs:
        if blob.size < 0:
            return f"{quote(blob.path)} is a symbolic link or a submodule"
    if sum(blob.size for blob in place.blobs) > folders.MOST_BYTES:
        return _TOO_LARGE
    return _find_refusal(place.name, [_strip_folder(blob) for blob in place.blobs])


def _find_refusal(name: str, files: Iterable[str]) -> str:
    """Return the message of a client that would not take these names."""
    try:
        folders.check(files, about=FOLDER + "/" + name)
    except InputError as error:
        return str(error)
    return ""


def _hash_files(place: Place, contents: Iterator[bytes | None]) -> Folder:
    files: dict[str, str] = {}
    document, size = None, 0
    for blob in place.blobs:
        content, file = next(contents), _strip_folder(blob)
        if content is None:
            msg = f"git has lost the object {blob.oid[:12]} of {quote(blob.path)}; run git fsck"
            raise InputError(msg)
        files[file] = hashlib.sha256(content).hexdigest()
        size += len(content)
        if file == FILE:
            document = yaml_strict.read(content)
    objection = _TOO_LARGE if size > folders.MOST_BYTES else ""
    files = dict(sorted(files.items()))
    return Folder(
        place.name, files, document, size, objection, place.change, compiled=place.compiled
    )


def _read_folder(registry: Registry, name: str) -> Folder:
    entry = registry.by_name[name]
    objection = f"{quote(entry.links[0])} is a symbolic link" if entry.links else ""
    wanted = folders.drop_compiled(entry.files)
    objection = objection or _find_refusal(name, wanted)
    document = None if entry.unreadable else entry.document
    files: dict[str, str] = {}
    size = 0
    try:
        for file in () if objection else wanted:
            content = entry.read_bytes(file, folders.MOST_BYTES + 1)
            files[file] = hashlib.sha256(content).hexdigest()
            size += len(content)
    except OSError as error:
        objection = f"it cannot be read: {(error.strerror or 'unknown').lower()}"
    if size > folders.MOST_BYTES:
        objection = _TOO_LARGE
    compiled = tuple(file for file in entry.files if folders.is_compiled(file))
    return Folder(name, files, document, size, objection, compiled=compiled)


class UnlistedError(Exception):
    """The reason why an entry is not listed, and the place to correct it."""

    def __init__(self, message: str, fix: str = "", at: Extent = BEGIN) -> None:
        super().__init__(message)
        self.message, self.fix, self.at = message, fix, at


def format_time(change: Change | None) -> str:
    """Format the time of a commit in UTC."""
    return f"{datetime.fromtimestamp(change.time, UTC):%Y-%m-%dT%H:%M:%SZ}" if change else ""


def build_entry(folder: Folder) -> IndexEntry:
    """Build the entry of a folder, or raise UnlistedError."""
    said = _read_manifest(folder)
    if said.name != folder.name:
        message = f"the folder is {quote(folder.name)}, and the manifest says {quote(said.name)}"
        at = folder.document.locate(("name",)) if folder.document else BEGIN
        raise UnlistedError(message, "give both the same name", at)
    if said.entrypoint not in folder.files:
        at = folder.document.locate(("entrypoint",)) if folder.document else BEGIN
        why = "is compiled" if said.entrypoint in folder.compiled else "does not exist"
        message = f"the program {quote(said.entrypoint)} {why}"
        raise UnlistedError(message, "name a file of this folder", at)
    return _fill_entry(folder, said)


def _read_manifest(folder: Folder) -> Manifest:
    if folder.objection:
        raise UnlistedError(folder.objection)
    if folder.document is None:
        message = f"there is no {FILE}"
        raise UnlistedError(message, "add one, or remove the folder")
    if problems := folder.document.problems:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        message = f"{first.message}{more}"
        raise UnlistedError(message, first.fix, first.at or BEGIN)
    try:
        return manifests.convert(folder.document.value)
    except msgspec.ValidationError as error:
        raise _describe_unfit(folder, folder.document, str(error)) from None


def _describe_unfit(folder: Folder, document: StrictDocument, otherwise: str) -> UnlistedError:
    """Describe the first problem of a manifest at its place, as the checks do."""
    first = next(schema.find_misfits(document.value), None)
    said = first.message if first else otherwise
    at = document.locate(first.where, key=first.of_key) if first else BEGIN
    fix = f"run agentevals registry validate {FOLDER}/{folder.name}"
    return UnlistedError(f"the manifest does not fit its schema: {said}", fix, at)


def _fill_entry(folder: Folder, said: Manifest) -> IndexEntry:
    same: dict[str, Any] = {key: getattr(said, key) for key in _SAME}
    if said.capabilities != _NOTHING.capabilities:
        same["capabilities"] = Capabilities(**structs.asdict(said.capabilities))
    if said.runtime != _NOTHING.runtime:
        same["runtime"] = Runtime(**structs.asdict(said.runtime))
    return IndexEntry(
        **same,
        path=f"{FOLDER}/{folder.name}/{said.entrypoint}",
        updated=format_time(folder.change),
        commit=folder.change.commit if folder.change else "",
        files=folder.files,
        sha256=digest(folder.files),
        size=folder.size,
        maintainers=tuple(Maintainer(login=one.login, id=one.id) for one in said.maintainers),
        level=manifests.rate_level(said),
    )


_SAME = (
    "name", "description", "language", "tags", "author", "version", "license", "entrypoint",
    "config_schema", "requirements", "fixtures", "deterministic", "deprecated", "yanked",
    "replaced_by", "aliases",
)  # fmt: skip
_NOTHING = Manifest(name="", description="", language="python", entrypoint="")
