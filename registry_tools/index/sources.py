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


def read_sources(root: Path, ref: str = "HEAD") -> Sources:
    """Read the sources of a commit if there is one, else of the folder as it is."""
    found = repository.find(root)
    return read_commit(found, found.resolve(ref)) if found else read_folder(root)


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
        folders.read_committed(found, folders.group_places(blobs, history.latest)),
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
