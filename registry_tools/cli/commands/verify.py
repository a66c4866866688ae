"""`agentevals registry verify`: a checkout beside an index."""

import hashlib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agentevals.evaluator import evaluator_files, head_signatures
from agentevals.evaluator import registry_index as indexes
from agentevals.evaluator.index_tree import ROOT
from agentevals.evaluator.published_index import SEARCH
from agentevals.evaluator.registry_head import HEAD, hash_bytes, parse_head
from agentevals.evaluator.registry_index import Index, IndexEntry, digest
from agentevals.files.document_places import quote
from agentevals.model.errors import InputError, UnavailableError
from agentevals.text.wording import plural
from registry_tools.cli import Root, print_line
from registry_tools.index.index_serialise import JSON, YAML
from registry_tools.manifests.registry_entry import Entry, Ignored
from registry_tools.manifests.registry_folder import FOLDER

_LARGEST = evaluator_files.MOST_BYTES + 1


def verify(
    root: Root = Path(),
    index: Annotated[
        Path | None,
        typer.Option(
            help=("The index to compare with; default: index.json or index.yaml in the root")
        ),
    ] = None,
    signer: Annotated[
        str, typer.Option(help="The required signer, as this command prints it")
    ] = "",
) -> None:
    """Compare the files of this registry with the hashes in its index.

    Examples:

      agentevals registry verify

      agentevals registry verify --index ~/Downloads/index.json

      agentevals registry verify --signer "ssh-ed25519 SHA256:…"

    Exit codes: 0 everything is the same; 1 a file differs; 2 there is no index;
    3 it cannot be read.
    """
    found = _compare(root, index, signer)
    for sentence in (*found.wrong, *found.unlisted):
        print_line(sentence)
    told = f"{plural(found.same, 'evaluator')} of {len(found.index.evaluators):,} as the index says"
    print_line(told)
    if found.signer:
        print_line(f"signed by {found.signer}")
    raise typer.Exit(1 if found.wrong else 0)


@dataclass(frozen=True)
class _Comparison:
    """The number of evaluators that equal the index, and a sentence for each difference."""

    index: Index
    same: int
    wrong: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()
    signer: str = ""


def _compare(root: Path, path: Path | None, expected: str) -> _Comparison:
    """Verify every evaluator of an index, and every folder beside them."""
    where = path or _find_index(root)
    content = _read(where)
    index = indexes.parse(content, where=str(where))
    ignored = Ignored(root)
    signer, complaints = _find_signer(where, expected)
    wrong, same = [*_check_head(where), *complaints], 0
    for entry in index.evaluators:
        if not entry.files:
            wrong.append(f"{entry.name}: the index has no hashes of its files to compare with")
            continue
        said = list(_find_differences(root, entry, ignored))
        wrong += [f"{entry.name}: {sentence}" for sentence in said]
        same += not said
    return _Comparison(
        index, same, (*index.remarks, *wrong), tuple(_find_unlisted(root, index)), signer
    )


def _find_index(root: Path) -> Path:
    for name in (JSON, YAML):
        if (root / name).is_file():
            return root / name
    msg = f"{root}: there is neither {JSON} nor {YAML}; name an index with --index"
    raise InputError(msg)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"{path}: it cannot be read: {(error.strerror or 'unknown').lower()}"
        raise InputError(msg) from None


def _check_head(path: Path) -> Iterator[str]:
    """Check that the head beside an index.json names this index."""
    beside = path.with_name(HEAD)
    if path.name != JSON or not beside.is_file():
        return
    found = parse_head(_read(beside))
    if found is None:
        yield f"{HEAD} cannot be read"
        return
    parts = {JSON: found.index, SEARCH: found.search, ROOT: found.tree}
    for name, meant in parts.items():
        part = path.parent / name
        if part.is_file() and hash_bytes(_read(part)) != meant:
            yield f"{HEAD} means another {name}"


def _find_signer(path: Path, expected: str) -> tuple[str, list[str]]:
    """Return who signed the head beside an index, and what is wrong with that."""
    beside = path.with_name(HEAD)
    content = _read(beside) if path.name == JSON and beside.is_file() else b""
    head, found = parse_head(content), ""

    def fetch(name: str, /, digest: str = "") -> bytes | None:  # noqa: ARG001 -- a seam
        beside = path.parent / name
        return _read(beside) if beside.is_file() else None

    try:
        if head:
            where = str(beside.parent)
            found = head_signatures.find_signer(content, head, fetch, where=where, known=expected)
    except UnavailableError as error:
        return "", [str(error)]
    is_other = bool(expected) and found != expected
    said = f"it is signed by {found}" if found else "nobody has signed it"
    return found, [f"{HEAD}: {expected} must sign it, and {said}"] if is_other else []


def _find_differences(root: Path, entry: IndexEntry, ignored: Ignored) -> Iterator[str]:
    if digest(entry.files) != entry.sha256:
        yield "the index contradicts itself: its sha256 is not that of its files"
    try:
        evaluator_files.check([entry.path, *entry.files], about="the index")
    except InputError as error:
        yield str(error)
        return
    if compiled := [name for name in entry.files if evaluator_files.is_compiled(name)]:
        yield f"the index lists a compiled file, which no client fetches: {quote(compiled[0])}"
    folder = Entry(root, _find_folder(entry), ignored=ignored)
    if not folder.home.is_dir():
        yield f"{folder.folder} is not here"
        return
    yield from (f"{quote(link)} is a symbolic link" for link in folder.links)
    listed = {name: entry.files[name] for name in evaluator_files.drop_compiled(entry.files)}
    yield from evaluator_files.list_differences(listed, _hash_files(folder, listed))


def _find_folder(entry: IndexEntry) -> str:
    inside = f"/{entry.entrypoint}"
    if entry.entrypoint and entry.path.endswith(inside):
        return entry.path.removesuffix(inside)
    return entry.path.rpartition("/")[0]


def _hash_files(folder: Entry, listed: Container[str]) -> dict[str, str]:
    """Return the hashes of all files that are listed, or that an index would list."""
    found = {}
    for file in evaluator_files.drop_compiled(folder.files):
        try:
            content = folder.read_bytes(file, _LARGEST)
        except OSError:
            content = b""
        if file not in listed and evaluator_files.find_unreviewable(content):
            continue
        found[file] = hashlib.sha256(content).hexdigest()
    return found


def _find_unlisted(root: Path, index: Index) -> Iterator[str]:
    listed = {_find_folder(entry) for entry in index.evaluators}
    home = root / FOLDER
    for folder in sorted(home.iterdir()) if home.is_dir() else ():
        name = f"{FOLDER}/{folder.name}"
        if folder.is_dir() and name not in listed and not folder.name.startswith((".", "__")):
            yield f"{name} is not listed; agentevals registry why {folder.name} says why"
