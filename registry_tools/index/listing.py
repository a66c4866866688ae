"""The entry of one folder in an index, or the reason why it has none."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import structs

from agentevals.evaluator import manifest as manifests
from agentevals.evaluator.index import Capabilities, IndexEntry, Maintainer, Runtime, digest
from agentevals.evaluator.manifest import FILE, Manifest
from agentevals.files.places import quote
from agentevals.files.yaml_strict import StrictDocument
from agentevals.model.errors import BEGIN, Extent
from registry_tools.index.folders import Folder
from registry_tools.index.repository import Change
from registry_tools.manifests.registry import FOLDER
from registry_tools.manifests.validators import shape


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
    first = next(shape.find_misfits(document.value), None)
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
