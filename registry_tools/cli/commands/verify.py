"""`agentevals registry verify`: a checkout beside an index."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agentevals.evaluator import folders
from agentevals.evaluator import index as indexes
from agentevals.evaluator.index import Index, IndexEntry, digest
from agentevals.evaluator.published import HEAD, parse_head
from agentevals.files.places import quote
from agentevals.model.errors import InputError
from agentevals.text.wording import plural
from registry_tools.cli import Root, print_line
from registry_tools.index.serialise import JSON, YAML
from registry_tools.manifests.entry import Entry, Ignored
from registry_tools.manifests.registry import FOLDER

_LARGEST = folders.MOST_BYTES + 1


def verify(
    root: Root = Path(),
    index: Annotated[
        Path | None,
        typer.Option(help="What it is compared with; default: index.json or index.yaml there"),
    ] = None,
) -> None:
    """Hash what lies here, and compare it with what an index says.

    Examples:

      agentevals registry verify

      agentevals registry verify --index ~/Downloads/index.json

    Exit codes: 0 everything is as the index says, 1 something is not, 2 there is no index,
    3 it cannot be read.
    """
    found = _compare(root, index)
    for sentence in (*found.wrong, *found.unknown):
        print_line(sentence)
    told = f"{plural(found.same, 'evaluator')} of {len(found.index.evaluators):,} as the index says"
    print_line(told)
    raise typer.Exit(1 if found.wrong else 0)


@dataclass(frozen=True)
class _Comparison:
    """The number of evaluators that equal the index, and a sentence for each difference."""

    index: Index
    same: int
    wrong: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def _compare(root: Path, path: Path | None) -> _Comparison:
    """Verify every evaluator of an index, and every folder beside them."""
    where = path or _find_index(root)
    content = _read(where)
    index = indexes.parse(content, where=str(where))
    ignored = Ignored(root)
    wrong, unknown, same = list(_check_head(where, content)), [], 0
    for entry in index.evaluators:
        if not entry.files:
            unknown.append(f"{entry.name}: the index has no hashes of its files")
            continue
        said = list(_find_differences(root, entry, ignored))
        wrong += [f"{entry.name}: {sentence}" for sentence in said]
        same += not said
    unknown += _find_unlisted(root, index)
    return _Comparison(index, same, (*index.remarks, *wrong), tuple(unknown))


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


def _check_head(path: Path, content: bytes) -> Iterator[str]:
    """Check that the head beside an index.json names this index."""
    beside = path.with_name(HEAD)
    if path.name != JSON or not beside.is_file():
        return
    found = parse_head(_read(beside))
    if found is None:
        yield f"{HEAD} cannot be read"
    elif found.index != hashlib.sha256(content).hexdigest():
        yield f"{HEAD} means another {JSON}"


def _find_differences(root: Path, entry: IndexEntry, ignored: Ignored) -> Iterator[str]:
    if digest(entry.files) != entry.sha256:
        yield "the index contradicts itself: its sha256 is not that of its files"
    try:
        folders.check([entry.path, *entry.files], about="the index")
    except InputError as error:
        yield str(error)
        return
    if compiled := [name for name in entry.files if folders.is_compiled(name)]:
        yield f"the index lists a compiled file, which no client fetches: {quote(compiled[0])}"
    folder = Entry(root, _find_folder(entry), ignored=ignored)
    if not folder.home.is_dir():
        yield f"{folder.folder} is not here"
        return
    yield from (f"{quote(link)} is a symbolic link" for link in folder.links)
    listed = {name: entry.files[name] for name in folders.drop_compiled(entry.files)}
    yield from folders.list_differences(listed, _hash_files(folder))


def _find_folder(entry: IndexEntry) -> str:
    inside = f"/{entry.entrypoint}"
    if entry.entrypoint and entry.path.endswith(inside):
        return entry.path.removesuffix(inside)
    return entry.path.rpartition("/")[0]


def _hash_files(folder: Entry) -> dict[str, str]:
    found = {}
    for file in folders.drop_compiled(folder.files):
        try:
            content = folder.read_bytes(file, _LARGEST)
        except OSError:
            content = b""
        found[file] = hashlib.sha256(content).hexdigest()
    return found


def _find_unlisted(root: Path, index: Index) -> Iterator[str]:
    listed = {_find_folder(entry) for entry in index.evaluators}
    home = root / FOLDER
    for folder in sorted(home.iterdir()) if home.is_dir() else ():
        name = f"{FOLDER}/{folder.name}"
        if folder.is_dir() and name not in listed and not folder.name.startswith((".", "__")):
            yield f"{name} is not listed; agentevals registry why {folder.name} says why"
