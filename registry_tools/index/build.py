"""A commit, or a folder without git, becomes the files that are published."""

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
from registry_tools.index.compile import RULE, Compiled, Sources, compile_index
from registry_tools.index.repository import Repository
from registry_tools.index.serialise import UnwritableError
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
    return _build(sources.read_folder(root), before, thorough=thorough)


def build_commit(found: Repository, commit: str, *, thorough: bool = False) -> Built:
    """Build the files that belong beside the folders of a commit."""
    before = sources.read_lasting(found, commit, HEAD)
    return _build(sources.read_commit(found, commit), before, thorough=thorough)


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
