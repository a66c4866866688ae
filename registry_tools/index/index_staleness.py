"""The files of an index on this machine: find stale ones, and write them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from agentevals.evaluator import head_signatures
from agentevals.evaluator import registry_index as indexes
from agentevals.evaluator.registry_head import HEAD, parse_head
from agentevals.evaluator.registry_index import Index, IndexEntry
from agentevals.files import atomic_files
from agentevals.model.errors import InputError, UnavailableError
from agentevals.text.wording import plural
from registry_tools.index.index_serialise import FOLDER, JSON, YAML

_MOST = 50  # entries that are named
FOLDERS = (FOLDER, "index", "index/tree", "index/heads")
NAMES = {name.rpartition("/")[2] for name in FOLDERS}

Files = Mapping[Path, bytes | None]  # None where there must be none


def find_leftovers(root: Path, files: Mapping[str, bytes]) -> dict[Path, bytes | None]:
    """Return files of an earlier index that this one does not have."""
    found = [path for folder in FOLDERS for path in _list_files(root / folder)]
    found += [root / name for name in head_signatures.FORMS if (root / name).is_file()]
    return {path: None for path in found if path.relative_to(root).as_posix() not in files}


def _list_files(folder: Path) -> list[Path]:
    is_ours = folder.is_dir() and not any(map(Path.is_symlink, (folder, folder.parent)))
    return sorted(folder.glob("*.json")) if is_ours else []


def find_differing(files: Files) -> list[Path]:
    """Return the files that differ from their wanted content."""
    return [path for path, content in files.items() if read_content(path) != content]


def write(files: Files) -> None:
    """Write the files that differ, each whole or not at all."""
    for folder in {path.parent for path in files}:
        with _name_errors(folder):
            _make_folder(folder)
    for path in find_differing(files):
        with _name_errors(path):
            _write_file(path, files[path])


@contextmanager
def _name_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"{path}: cannot be written: {(error.strerror or 'unknown').lower()}"
        raise InputError(msg) from None


def _make_folder(folder: Path) -> None:
    """Make a folder. A link in its place is removed, because writing would follow it."""
    for place in (folder.parent, folder):
        if place.name in NAMES and place.is_symlink():
            place.unlink()
    folder.mkdir(parents=True, exist_ok=True)


def _write_file(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink()
    else:
        atomic_files.write(path, content, mode=0o666)


def read_content(path: Path) -> bytes | None:
    """Return the content of a file; None for a link, or where there is no file."""
    above = [place for place in list(path.parents)[:2] if place.name in NAMES]
    if any(map(Path.is_symlink, (path, *above))):
        return None
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def explain(paths: list[Path], wanted: Index) -> Iterator[str]:
    """Describe the files that differ."""
    for folder, listed in groupby(sorted(paths), key=lambda path: path.parent):
        others = list(listed)
        if folder.name not in NAMES:
            yield from (f"{path}: {_explain_file(path, wanted)}" for path in others)
            continue
        names = _shorten(path.name for path in others)
        yield f"{folder}: {plural(len(others), 'file')} stale: {names}"


def _explain_file(path: Path, wanted: Index) -> str:
    content = read_content(path)
    if content is None:
        return "it is missing"
    if path.name == HEAD:
        return _explain_head(content, wanted)
    if path.name not in {JSON, YAML} and path.suffix not in {".json", ".yaml", ".yml"}:
        return "it says something else"
    try:
        found = indexes.parse(content, where=path.name)
    except UnavailableError as error:
        return str(error).partition(": ")[2]
    return "; ".join(describe_differences(found, wanted)) or "it is written differently"


def _explain_head(content: bytes, wanted: Index) -> str:
    found = parse_head(content)
    if found is None:
        return "it is no head of an index"
    if found.commit != wanted.commit:
        return _name_commits(found.commit, wanted.commit)
    return "it is the head of another index"


def _name_commits(found: str, wanted: str) -> str:
    return f"of commit {found[:12] or 'none'}, not {wanted[:12] or 'none'}"


def describe_differences(found: Index, wanted: Index) -> Iterator[str]:
    """Describe entries that are missing, no longer listed or changed."""
    old = {entry.name: entry for entry in found.evaluators}
    new = {entry.name: entry for entry in wanted.evaluators}
    yield from _list_names("not in it yet", [name for name in new if name not in old])
    yield from _list_names("not listed any more", [name for name in old if name not in new])
    changed = [name for name in new if name in old and old[name] != new[name]]
    yield from _list_names("changed", [_describe_change(old[name], new[name]) for name in changed])
    if found.removed != wanted.removed:
        yield "tombstones changed"
    if found.commit != wanted.commit:
        yield _name_commits(found.commit, wanted.commit)


def _list_names(what: str, names: list[str]) -> Iterator[str]:
    if names:
        yield f"{what}: {_shorten(iter(names))}"


def _shorten(names: Iterator[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _MOST} more" if len(every) > _MOST else ""
    return ", ".join(every[:_MOST]) + more


def _describe_change(old: IndexEntry, new: IndexEntry) -> str:
    if old.version != new.version:
        return f"{new.name} ({old.version or 'no version'} → {new.version or 'no version'})"
    keys = [key for key in new.__struct_fields__ if getattr(old, key) != getattr(new, key)]
    return f"{new.name} ({', '.join(keys[:6])})"
