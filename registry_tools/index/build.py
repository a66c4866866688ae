"""A commit, or a folder without git, becomes the files that are published."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import msgspec
from msgspec import structs

from agentevals.evaluator import index as indexes
from agentevals.evaluator.index import Index
from agentevals.evaluator.published import HEAD, Head, parse_head
from agentevals.model.errors import InputError, UnavailableError
from registry_tools.index import folders, repository, serialise, tombstones
from registry_tools.index.compile import NO_INDEX, Compiled, Sources, compile_index, warn
from registry_tools.index.history import History
from registry_tools.index.repository import Blob, Repository
from registry_tools.index.serialise import JSON, YAML, UnwritableError
from registry_tools.manifests import registry
from registry_tools.manifests.finding import Finding
from registry_tools.manifests.registry import FOLDER


@dataclass(frozen=True)
class Built:
    """An index, the files that it is published in, and the findings about entries."""

    index: Index
    before: Index
    files: dict[str, bytes]
    findings: tuple[Finding, ...] = ()


def build_index(root: Path, ref: str = "HEAD", *, thorough: bool = False) -> Built:
    """Build the index of a commit if there is one, else of the folder as it is."""
    found = repository.find(root)
    if found is not None:
        return build_commit(found, found.resolve(ref), thorough=thorough)
    path = root / HEAD
    before = path.read_bytes() if path.is_file() else None
    return _build(read_folder(root), before, thorough=thorough)


def build_commit(found: Repository, commit: str, *, thorough: bool = False) -> Built:
    """Build the files that belong beside the folders of a commit."""
    before = read_lasting(found, commit, HEAD)
    return _build(read_commit(found, commit), before, thorough=thorough)


def _build(given: Sources, before: bytes | None, *, thorough: bool) -> Built:
    made = compile_index(given)
    try:
        files = serialise.serialise(made.index, thorough=thorough)
    except UnwritableError:
        made = _drop_unwritable(made)
        files = serialise.serialise(made.index, thorough=thorough)
    newest = build_head(before, files.json, made.index.commit)
    return Built(made.index, given.published, {**files.files(), HEAD: newest}, made.findings)


def _drop_unwritable(made: Compiled) -> Compiled:
    """Drop entries that some reader would not read as they are meant."""
    wrong = dict(_find_unwritable(made.index))
    kept = tuple(entry for entry in made.index.evaluators if entry.name not in wrong)
    findings = (warn(name, f"not listed: {why}") for name, why in wrong.items())
    return Compiled(structs.replace(made.index, evaluators=kept), (*made.findings, *findings))


def _find_unwritable(index: Index) -> Iterator[tuple[str, str]]:
    for entry in index.evaluators:
        try:
            serialise.serialise(Index(evaluators=(entry,)), thorough=True)
        except UnwritableError as error:
            yield entry.name, str(error)


def build_head(before: bytes | None, index: bytes, commit: str) -> bytes:
    """Build the head of an index.json; an unchanged index keeps its head."""
    digest = hashlib.sha256(index).hexdigest()
    if before is None:
        return _encode_head(Head(sequence=1, index=digest, commit=commit))
    old = parse_head(before)
    if old is None:
        msg = f"{HEAD} cannot be read; restore the last one that was published"
        raise InputError(msg)
    if old.index == digest:
        return before
    previous = hashlib.sha256(before).hexdigest()
    sequence = old.sequence + 1
    return _encode_head(Head(sequence=sequence, index=digest, previous=previous, commit=commit))


def _encode_head(head: Head) -> bytes:
    return msgspec.json.encode(head) + b"\n"


def read_folder(root: Path) -> Sources:
    """Read a folder as it is; without git nobody knows when something changed."""
    path = root / tombstones.FILE
    buried = path.read_bytes() if path.is_file() else None
    return Sources(folders.read_registry(registry.read(root)), tombstones.read(buried))


def read_commit(found: Repository, commit: str) -> Sources:
    """Read a commit, whatever the working tree holds."""
    if found.is_shallow:
        msg = f"{found.root}: the history is cut off; check out with fetch-depth: 0"
        raise InputError(msg)
    blobs = found.list_blobs(commit, FOLDER)
    if not blobs:
        msg = f"{found.root}: there is no {FOLDER}/ in {commit[:12]}; name the folder of a registry"
        raise InputError(msg)
    history = History(found, commit)
    return Sources(
        folders.read_committed(found, folders.group_blobs(blobs, history.latest)),
        tombstones.read(read_blob(found, blobs, tombstones.FILE)),
        read_published(found, commit),
        history.last,
        history.recover,
        history.list_earlier,
    )


def read_published(found: Repository, commit: str) -> Index:
    """Read the committed index, ours or the predecessor's; skip what cannot be read."""
    for name in (JSON, YAML):
        said = read_lasting(found, commit, name)
        try:
            if said is not None:
                return indexes.parse(said, where=name)
        except UnavailableError:
            continue
    return NO_INDEX


def read_lasting(found: Repository, commit: str, path: str) -> bytes | None:
    """Read a file of a commit, or its last content where it was removed."""
    commits = (change.commit for change, _ in found.list_changes(commit, path))
    for at in chain([commit], commits):
        said = read_blob(found, found.list_blobs(at, path), path)
        if said is not None:
            return said
    return None


def read_blob(found: Repository, blobs: Sequence[Blob], path: str) -> bytes | None:
    """Read one of some files, if it is among them and no link."""
    oids = [blob.oid for blob in blobs if blob.path == path and blob.size >= 0]
    return next(iter(found.read_contents(oids)), None) if oids else None
