"""The files of an index on this machine: find stale ones, and write them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from agentevals.evaluator import index as indexes
from agentevals.evaluator.index import Index, IndexEntry
from agentevals.evaluator.published import HEAD, parse_head
from agentevals.files import atomic
from agentevals.model.errors import InputError, UnavailableError
from agentevals.text.wording import plural
from registry_tools.index.serialise import FOLDER, JSON, YAML

_MOST = 50  # entries that are named

Files = Mapping[Path, bytes | None]  # None where there must be none


def find_leftovers(folder: Path, files: Mapping[str, bytes]) -> dict[Path, bytes | None]:
    """Return files of evaluators that are no longer listed."""
    is_ours = folder.is_dir() and not folder.is_symlink()
    found = sorted(folder.glob("*.json")) if is_ours else []
    return {path: None for path in found if f"{FOLDER}/{path.name}" not in files}


def find_differing(files: Files) -> list[Path]:
    """Return the files that differ from their wanted content."""
    return [path for path, content in files.items() if _read_content(path) != content]


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
    if folder.name == FOLDER and folder.is_symlink():
        folder.unlink()
    folder.mkdir(parents=True, exist_ok=True)


def _write_file(path: Path, content: bytes | None) -> None:
    if content is None:
        path.unlink()
    else:
        atomic.write(path, content, mode=0o666)


def _read_content(path: Path) -> bytes | None:
    """Return the content of a file; None for a link, or where there is no file."""
    if path.is_symlink() or (path.parent.name == FOLDER and path.parent.is_symlink()):
        return None
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def explain(paths: list[Path], wanted: Index) -> Iterator[str]:
    """Describe the files that differ."""
    for path in paths:
        if path.parent.name != FOLDER:
            yield f"{path}: {_explain_file(path, wanted)}"
    others = [path for path in paths if path.parent.name == FOLDER]
    if others:
        names = _shorten(path.name for path in others)
        yield f"{others[0].parent}: {plural(len(others), 'file')} stale: {names}"


def _explain_file(path: Path, wanted: Index) -> str:
    content = _read_content(path)
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
    yield from _list_names("missing", [name for name in new if name not in old])
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
