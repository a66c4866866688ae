"""Where an index comes from: a commit of a repository, or a folder that git knows nothing of."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from agentevals.evaluator import index as indexes
from agentevals.evaluator.index import Index
from agentevals.model.errors import InputError, UnavailableError
from registry_tools.index import folders, repository, tombstones
from registry_tools.index.compile import NO_INDEX, Sources
from registry_tools.index.history import History
from registry_tools.index.repository import Blob, Repository
from registry_tools.index.serialise import JSON, YAML
from registry_tools.manifests import registry
from registry_tools.manifests.registry import FOLDER


def of(root: Path, ref: str = "HEAD") -> Sources:
    """Of a commit where there is one, of the folder as it is otherwise."""
    found = repository.find(root)
    return of_commit(found, found.resolve(ref)) if found else of_folder(root)


def of_folder(root: Path) -> Sources:
    """Of a folder as it is; without git nobody knows when something changed."""
    path = root / tombstones.FILE
    buried = path.read_bytes() if path.is_file() else None
    return Sources(folders.on_disk(registry.read(root)), tombstones.read(buried))


def of_commit(found: Repository, commit: str) -> Sources:
    """Of a commit, whatever the working tree is like."""
    if found.is_shallow:
        msg = f"{found.root}: the history is cut off; check out with fetch-depth: 0"
        raise InputError(msg)
    blobs = found.blobs(commit, FOLDER)
    if not blobs:
        msg = f"{found.root}: there is no {FOLDER}/ in {commit[:12]}; name the folder of a registry"
        raise InputError(msg)
    history = History(found, commit)
    return Sources(
        folders.committed(found, folders.places(blobs, history.latest)),
        tombstones.read(content(found, blobs, tombstones.FILE)),
        published(found, commit),
        history.last,
        history.recovered,
        history.earlier,
    )


def published(found: Repository, commit: str) -> Index:
    """The committed index, ours or the predecessor's; what cannot be read counts for nothing."""
    for name in (JSON, YAML):
        said = lasting(found, commit, name)
        try:
            if said is not None:
                return indexes.parse(said, where=name)
        except UnavailableError:
            continue
    return NO_INDEX


def lasting(found: Repository, commit: str, path: str) -> bytes | None:
    """A file of a commit; whoever removes it does not make what it said undone."""
    commits = (change.commit for change, _ in found.changes(commit, path))
    for at in chain([commit], commits):
        said = content(found, found.blobs(at, path), path)
        if said is not None:
            return said
    return None


def content(found: Repository, blobs: Sequence[Blob], path: str) -> bytes | None:
    """One of some files, if it is among them and no link."""
    oids = [blob.oid for blob in blobs if blob.path == path and blob.size >= 0]
    return next(iter(found.contents(oids)), None) if oids else None
