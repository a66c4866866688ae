"""From a commit, or a folder without git, to the files that are published."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import structs

from agentevals.evaluator.index import Index
from agentevals.evaluator.published import HEAD, Head, parse_head
from agentevals.model.errors import InputError
from agentevals.model.results import Severity
from registry_tools.index import repository, serialise, sources
from registry_tools.index.compile import RULE, Compiled, Sources, compiled
from registry_tools.index.repository import Repository
from registry_tools.index.serialise import UnwritableError
from registry_tools.manifests.finding import Finding
from registry_tools.manifests.registry import FOLDER


@dataclass(frozen=True)
class Built:
    """An index, the files that it is published in, and what is not listed as it stands."""

    index: Index
    before: Index
    files: dict[str, bytes]
    findings: tuple[Finding, ...] = ()


def built(root: Path, ref: str = "HEAD", *, thorough: bool = False) -> Built:
    """Of a commit where there is one, of the folder as it is otherwise."""
    found = repository.find(root)
    if found is not None:
        return of_commit(found, found.resolve(ref), thorough=thorough)
    path = root / HEAD
    before = path.read_bytes() if path.is_file() else None
    return _built(sources.of_folder(root), before, thorough=thorough)


def of_commit(found: Repository, commit: str, *, thorough: bool = False) -> Built:
    """The files that belong beside the folders of a commit."""
    before = sources.lasting(found, commit, HEAD)
    return _built(sources.of_commit(found, commit), before, thorough=thorough)


def _built(given: Sources, before: bytes | None, *, thorough: bool) -> Built:
    made = compiled(given)
    try:
        files = serialise.written(made.index, thorough=thorough)
    except UnwritableError:
        made = _writable(made)
        files = serialise.written(made.index, thorough=thorough)
    newest = build_head(before, files.json, made.index.commit)
    return Built(made.index, given.published, {**files.files(), HEAD: newest}, made.findings)


def _writable(made: Compiled) -> Compiled:
    """Without the entries that would not be read by everybody as they are meant."""
    wrong = dict(_unwritable(made.index))
    kept = tuple(entry for entry in made.index.evaluators if entry.name not in wrong)
    findings = tuple(
        Finding(
            rule=RULE,
            severity=Severity.WARNING,
            message=f"not listed: {why}",
            path=f"{FOLDER}/{name}",
            entry=name,
        )
        for name, why in wrong.items()
    )
    return Compiled(structs.replace(made.index, evaluators=kept), (*made.findings, *findings))


def _unwritable(index: Index) -> Iterator[tuple[str, str]]:
    for entry in index.evaluators:
        try:
            serialise.written(Index(evaluators=(entry,)), thorough=True)
        except UnwritableError as error:
            yield entry.name, str(error)


def build_head(before: bytes | None, index: bytes, commit: str) -> bytes:
    """The head of an index.json; the same as before where the index is."""
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
