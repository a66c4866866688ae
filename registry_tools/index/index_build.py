"""A commit, or a folder without git, becomes the files that are published.

Decisions hold also while the file of them is broken: a slip in it must not bring back what was
withdrawn. So whatever cannot be read there stays as the last index says, and as the last file said
that could be read, until somebody corrects it.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from msgspec import structs
from msgspec.structs import replace

from agentevals.evaluator import registry_index as indexes
from agentevals.evaluator.registry_head import HEAD, Fetch, parse_head
from agentevals.evaluator.registry_index import Index, IndexEntry
from agentevals.model.errors import InputError, Problem, UnavailableError
from registry_tools.index import index_folders, index_repository, index_serialise, index_signing
from registry_tools.index.index_compile import NO_INDEX, Compiled, Sources, compile_index, warn
from registry_tools.index.index_history import History
from registry_tools.index.index_repository import (
    Blob,
    Repository,
    read_blob,
    read_earlier,
    read_lasting,
)
from registry_tools.index.index_serialise import JSON, YAML, UnwritableError
from registry_tools.index.index_signing import Signer
from registry_tools.manifests import registry_folder, registry_tombstones
from registry_tools.manifests.registry_finding import Finding, make_warning
from registry_tools.manifests.registry_folder import FOLDER, Registry
from registry_tools.manifests.registry_tombstones import FILE, Recorded, Removal, Tombstones
from registry_tools.rules.tombstones import report

_KEPT = "what it said before stays in force until that is corrected"


@dataclass(frozen=True)
class Built:
    """An index, the files that it is published in, and the findings about entries."""

    index: Index
    before: Index
    files: dict[str, bytes]
    findings: tuple[Finding, ...] = ()

    @property
    def lacks_signature(self) -> bool:
        """Return whether clients expect a signature that nobody has made."""
        head = parse_head(self.files[HEAD])
        return head is not None and bool(head.signature) and head.signature not in self.files


def build_index(
    root: Path, ref: str = "HEAD", *, thorough: bool = False, signer: Signer | None = None
) -> Built:
    """Build the index of a commit if there is one, else of the folder as it is."""
    found = index_repository.find(root)
    if found is not None:
        return build_commit(found, found.resolve(ref), thorough=thorough, signer=signer)

    def read(name: str, /, digest: str = "") -> bytes | None:  # noqa: ARG001 -- a seam
        path = root / name
        return path.read_bytes() if path.is_file() else None

    return _build(read_folder(root), [read], thorough=thorough, signer=signer)


@dataclass(frozen=True)
class Last:
    """The index that was published last, and who hands out the files beside it."""

    index: Index = NO_INDEX
    fetches: tuple[Fetch, ...] = ()

    @property
    def has_head(self) -> bool:
        """Return whether the chain of heads has begun."""
        return bool(self.fetches) and self.fetches[0](HEAD) is not None


def build_commit(
    found: Repository,
    commit: str,
    last: Last | None = None,
    *,
    thorough: bool = False,
    signer: Signer | None = None,
) -> Built:
    """Build the files of the folders of a commit; the last index lies there, or elsewhere."""
    last = last or read_last(found, commit)
    sources = read_commit(found, commit, last.index)
    return _build(sources, last.fetches, thorough=thorough, signer=signer)


def read_last(found: Repository, commit: str) -> Last:
    """Read the index that a commit holds, or held before it."""
    fetches = (_read_at(found, commit), _read_at(found, commit, changed=HEAD))
    return Last(read_published(found, commit), fetches)


def read_fetched(fetch: Fetch) -> Last:
    """Read the index that was published elsewhere."""
    return Last(_parse_first((name, fetch(name)) for name in (JSON, YAML)), (fetch,))


def _read_at(found: Repository, commit: str, *, changed: str = "") -> Fetch:
    """Read files of a commit, or of the one before it that changed a file."""

    def read(name: str, /, digest: str = "") -> bytes | None:  # noqa: ARG001 -- a seam
        changes = found.list_changes(commit, changed) if changed else iter(())
        at = next((change.commit for change, _ in changes), commit)
        return read_lasting(found, at, name)

    return read


def _build(
    given: Sources, fetches: Sequence[Fetch], *, thorough: bool, signer: Signer | None
) -> Built:
    made = compile_index(given)
    try:
        files = index_serialise.serialise(made.index, thorough=thorough)
    except UnwritableError:
        made = _drop_unwritable(made)
        files = index_serialise.serialise(made.index, thorough=thorough)
    published = files.files()
    published |= index_signing.extend(fetches, published, made.index.commit, signer)
    findings = (*given.slips, *made.findings)
    return Built(made.index, given.published, published, findings)


def _drop_unwritable(made: Compiled) -> Compiled:
    """Drop entries that some reader would not read as they are meant."""
    wrong = dict(_find_unwritable(made.index))
    kept = tuple(entry for entry in made.index.evaluators if entry.name not in wrong)
    findings = (warn(name, f"not listed: {why}") for name, why in wrong.items())
    return Compiled(structs.replace(made.index, evaluators=kept), (*made.findings, *findings))


def _find_unwritable(index: Index) -> Iterator[tuple[str, str]]:
    for entry in index.evaluators:
        try:
            index_serialise.serialise(Index(evaluators=(entry,)), thorough=True)
        except UnwritableError as error:
            yield entry.name, str(error)


def read_folder(root: Path) -> Sources:
    """Read a folder as it is; without git nobody knows when something changed."""
    here = registry_folder.read(root)
    path = root / JSON
    said = path.read_bytes() if path.is_file() else None
    published = _parse_first([(JSON, said)])
    decided = read_decisions(here, published)
    return Sources(index_folders.read_registry(here), decided.decisions, slips=decided.warnings)


def read_commit(found: Repository, commit: str, published: Index) -> Sources:
    """Read a commit, whatever the working tree holds."""
    if found.is_shallow:
        msg = f"{found.root}: the history is cut off; check out with fetch-depth: 0"
        raise InputError(msg)
    blobs = found.list_blobs(commit, FOLDER)
    if not blobs:
        msg = f"{found.root}: there is no {FOLDER}/ in {commit[:12]}; name the folder of a registry"
        raise InputError(msg)
    history = History(found, commit)
    decided = read_committed_decisions(found, commit, blobs, published)
    return Sources(
        index_folders.read_committed(found, index_folders.group_blobs(blobs, history.latest)),
        decided.decisions,
        published,
        history.last,
        history.recover,
        history.list_earlier,
        decided.warnings,
    )


def read_published(found: Repository, commit: str) -> Index:
    """Read the committed index, ours or the predecessor's; skip what cannot be read."""
    return _parse_first((name, read_lasting(found, commit, name)) for name in (JSON, YAML))


def _parse_first(given: Iterable[tuple[str, bytes | None]]) -> Index:
    for name, content in given:
        with suppress(UnavailableError):
            if content is not None:
                return indexes.parse(content, where=name)
    return NO_INDEX


class Decided(NamedTuple):
    """The decisions in force, and warnings about those that cannot be read."""

    decisions: Tombstones
    warnings: tuple[Finding, ...] = ()


def read_committed_decisions(
    found: Repository, commit: str, blobs: Sequence[Blob], published: Index
) -> Decided:
    """Read the decisions of a commit, with those that stay in force where it is broken."""
    recorded = _read_file(found, commit, blobs)
    if not recorded.problems:
        return Decided(recorded.decisions)
    return _keep(recorded, _read_last_good(found, commit).add(_recall(published)))


def read_decisions(registry: Registry, published: Index) -> Decided:
    """Read the decisions of a folder without git."""
    recorded = registry_tombstones.read_folder(registry)
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
        return registry_tombstones.report_link()
    return registry_tombstones.read(read_blob(found, listed, FILE))


def _check_absence(found: Repository, commit: str) -> Recorded:
    """Return a problem if the file was removed while it had decisions in it."""
    last = next(read_earlier(found, commit, FILE), None)
    if last is None or registry_tombstones.read(last).decisions == Tombstones():
        return Recorded(Tombstones())
    fix = "restore it; agentevals registry restore takes single decisions back"
    problem = Problem(message="the file is gone, with decisions in it", fix=fix)
    return Recorded(Tombstones(), (problem,))


def _read_last_good(found: Repository, commit: str) -> Tombstones:
    """Read the newest file of the main line that nothing is wrong with."""
    recorded = map(registry_tombstones.read, read_earlier(found, commit, FILE))
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
