"""The decisions that an index is compiled with, also while the file of them is broken.

A slip in the file must not bring back what was withdrawn. So whatever cannot be read there stays
as the last index says, and as the last file said that could be read, until somebody corrects it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from agentevals.evaluator.index import Index, IndexEntry
from agentevals.model.errors import Problem
from registry_tools.index.repository import Blob, Repository, read_blob, read_earlier
from registry_tools.manifests import tombstones
from registry_tools.manifests.finding import Finding, make_warning
from registry_tools.manifests.registry import Registry
from registry_tools.manifests.tombstones import FILE, Recorded, Removal, Tombstones
from registry_tools.rules.tombstones import report

_KEPT = "what it said before stays in force until that is corrected"


class Decided(NamedTuple):
    """The decisions in force, and warnings about those that cannot be read."""

    decisions: Tombstones
    warnings: tuple[Finding, ...] = ()


def read_committed(
    found: Repository, commit: str, blobs: Sequence[Blob], published: Index
) -> Decided:
    """Read the decisions of a commit, with those that stay in force where it is broken."""
    recorded = _read_file(found, commit, blobs)
    if not recorded.problems:
        return Decided(recorded.decisions)
    return _keep(recorded, _read_last_good(found, commit).add(_recall(published)))


def read_folder(registry: Registry, published: Index) -> Decided:
    """Read the decisions of a folder without git."""
    recorded = tombstones.read_folder(registry)
    if not recorded.problems:
        return Decided(recorded.decisions)
    return _keep(recorded, _recall(published))


def _keep(recorded: Recorded, kept: Tombstones) -> Decided:
    warnings = (make_warning(report(problem)) for problem in recorded.problems)
    said = (replace(one, message=f"{one.message}; {_KEPT}") for one in warnings)
    return Decided(recorded.decisions.add(kept), tuple(said))


def _read_file(found: Repository, commit: str, blobs: Sequence[Blob]) -> Recorded:
    listed = [blob for blob in blobs if blob.path == FILE]
    if not listed:
        return _check_absence(found, commit)
    if listed[0].size < 0:
        return tombstones.report_link()
    return tombstones.read(read_blob(found, listed, FILE))


def _check_absence(found: Repository, commit: str) -> Recorded:
    """Return a problem if the file was removed while it had decisions in it."""
    last = next(read_earlier(found, commit, FILE), None)
    if last is None or tombstones.read(last).decisions == Tombstones():
        return Recorded(Tombstones())
    fix = "restore it; agentevals registry restore takes single decisions back"
    problem = Problem(message="the file is gone, with decisions in it", fix=fix)
    return Recorded(Tombstones(), (problem,))


def _read_last_good(found: Repository, commit: str) -> Tombstones:
    """Read the newest file of the main line that nothing is wrong with."""
    recorded = map(tombstones.read, read_earlier(found, commit, FILE))
    return next((one.decisions for one in recorded if not one.problems), Tombstones())


def _recall(published: Index) -> Tombstones:
    """Return the decisions that an index shows; handed over was what it lists already."""
    removed = {
        name: Removal(reason=said.reason, replaced_by=said.replaced_by)
        for name, said in published.removed.items()
    }
    yanked = {entry.name: dict(_list_yanked(entry)) for entry in published.evaluators}
    return Tombstones(removed=removed, yanked={name: why for name, why in yanked.items() if why})


def _list_yanked(entry: IndexEntry) -> Iterator[tuple[str, str]]:
    if entry.yanked and entry.version:
        yield entry.version, entry.yanked
    yield from ((one.version, one.yanked) for one in entry.earlier if one.yanked)
