"""The folders of evaluators as they are published: their files and their manifest."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

import msgspec
from msgspec import structs

from agentevals.evaluator import evaluator_files
from agentevals.evaluator import evaluator_manifest as manifests
from agentevals.evaluator.evaluator_manifest import FILE, Manifest
from agentevals.evaluator.registry_index import (
    Capabilities,
    IndexEntry,
    Maintainer,
    Runtime,
    digest,
)
from agentevals.files import yaml_strict
from agentevals.files.document_places import quote
from agentevals.files.yaml_strict import StrictDocument
from agentevals.model.errors import BEGIN, Extent, InputError
from registry_tools.index.index_repository import Blob, Change, Repository
from registry_tools.manifests.registry_entry import Entry
from registry_tools.manifests.registry_folder import FOLDER, Registry
from registry_tools.rules import manifest as manifest_rule
from registry_tools.rules import schema

_TOO_LARGE = f"it has more than {evaluator_files.MOST_BYTES >> 20} MiB"


@dataclass(frozen=True)
class Folder:
    """The folder of an evaluator; `files` are the ones that a client fetches, with their digests.

    `objection` is the reason why nobody can fetch them. `compiled` and `unreviewable` files are
    never listed: nobody reads them. `blobs` are what is read, without contents.
    """

    name: str
    blobs: Sequence[Blob] = ()
    change: Change | None = None
    compiled: tuple[str, ...] = ()
    objection: str = ""
    files: dict[str, str] = field(default_factory=dict)
    unreviewable: dict[str, str] = field(default_factory=dict)
    document: StrictDocument | None = None
    size: int = 0


def group_blobs(blobs: Sequence[Blob], changes: Mapping[str, Change]) -> list[Folder]:
    """Group files of a commit by their folders, which are not read yet."""
    groups = groupby(_filter_blobs(blobs), key=lambda blob: blob.path.split("/", 2)[1])
    return [list_folder(name, list(group), changes.get(name)) for name, group in groups]


def _filter_blobs(blobs: Sequence[Blob]) -> Iterator[Blob]:
    for blob in blobs:
        parts = blob.path.split("/", 2)
        if len(parts) > 2 - (blob.size < 0) and not parts[1].startswith((".", "__")):
            yield blob


def list_folder(name: str, blobs: Sequence[Blob], change: Change | None = None) -> Folder:
    """Return a folder that is not read yet. A link is an objection, whatever its name."""
    compiled = [b for b in blobs if b.size >= 0 and evaluator_files.is_compiled(_strip_folder(b))]
    kept = [blob for blob in blobs if blob not in compiled] if compiled else blobs
    objection = _find_objection(name, kept)
    names = tuple(map(_strip_folder, compiled))
    return Folder(name, () if objection else kept, change, names, objection)


def _strip_folder(blob: Blob) -> str:
    return blob.path.split("/", 2)[2]


def _find_objection(name: str, blobs: Sequence[Blob]) -> str:
    """Return why a folder cannot be fetched, whatever its manifest says."""
    for blob in blobs:
        if blob.size < 0:
            return f"{quote(blob.path)} is a symbolic link or a submodule"
    if sum(blob.size for blob in blobs) > evaluator_files.MOST_BYTES:
        return _TOO_LARGE
    try:
        evaluator_files.check(map(_strip_folder, blobs), about=f"{FOLDER}/{name}")
    except InputError as error:
        return str(error)
    return ""


def read_committed(repository: Repository, listed: Sequence[Folder]) -> list[Folder]:
    """Read folders as they were committed, in the same order."""
    contents = repository.read_contents([blob.oid for folder in listed for blob in folder.blobs])
    return [_read_files(folder, contents) for folder in listed]


def read_registry(registry: Registry) -> list[Folder]:
    """Read the folders of a registry without git."""
    links = [list_folder(link.rpartition("/")[2], [Blob(link, "", -1)]) for link in registry.links]
    return links + [_read_entry(registry.by_name[name]) for name in sorted(registry.by_name)]


def _read_entry(entry: Entry) -> Folder:
    blobs = [Blob(f"{FOLDER}/{entry.name}/{file}", "", 0) for file in entry.files]
    links = [Blob(f"{FOLDER}/{entry.name}/{link}", "", -1) for link in entry.links]
    listed = list_folder(entry.name, [*blobs, *links])
    most = evaluator_files.MOST_BYTES + 1
    try:
        return _read_files(
            listed, (entry.read_bytes(_strip_folder(blob), most) for blob in listed.blobs)
        )
    except OSError as error:
        why = (error.strerror or "unknown").lower()
        return replace(listed, objection=f"it cannot be read: {why}")


def _read_files(folder: Folder, contents: Iterator[bytes | None]) -> Folder:
    """Return a folder with its manifest and the digests of its files."""
    files: dict[str, str] = {}
    unreviewable: dict[str, str] = {}
    document, size = None, 0
    for blob in folder.blobs:
        content, file = next(contents), _strip_folder(blob)
        if content is None:
            msg = f"git has lost the object {blob.oid[:12]} of {quote(blob.path)}; run git fsck"
            raise InputError(msg)
        is_listed = file == FILE or not evaluator_files.find_unreviewable(content)
        (files if is_listed else unreviewable)[file] = hashlib.sha256(content).hexdigest()
        size += len(content) if is_listed else 0
        if file == FILE:
            document = yaml_strict.read(content)
    objection = folder.objection or (_TOO_LARGE if size > evaluator_files.MOST_BYTES else "")
    files = dict(sorted(files.items()))
    found = replace(folder, files=files, document=document, size=size, objection=objection)
    return replace(found, unreviewable=unreviewable) if unreviewable else found


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
        why = _explain_missing(folder, said.entrypoint)
        message = f"the program {quote(said.entrypoint)} {why}"
        raise UnlistedError(message, "name a file of this folder", at)
    return _fill_entry(folder, said)


def _explain_missing(folder: Folder, program: str) -> str:
    if program in folder.unreviewable:
        return "is binary or too long to be reviewed"
    return "is compiled" if program in folder.compiled else "does not exist"


def _read_manifest(folder: Folder) -> Manifest:
    if folder.objection:
        raise UnlistedError(folder.objection)
    if folder.document is None:
        message = f"there is no {FILE}"
        raise UnlistedError(message, manifest_rule.advise(folder.name, folder.files))
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
    "config_schema", "requirements", "needs", "fixtures", "deterministic", "deprecated",
    "yanked", "replaced_by", "aliases",
)  # fmt: skip
_NOTHING = Manifest(name="", description="", language="python", entrypoint="")
