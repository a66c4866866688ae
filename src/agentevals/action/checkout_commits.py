"""Commits of the checkout: their files, and where they part. Asking git runs no other program.

The checkout belongs to another user, so git has to be told that it may be read. Only our own calls
are told, never a configuration that others would inherit. No command is used that starts a program
from a config, such as a filter or a compressor.
"""

import io
import os
import shutil
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from agentevals.files.git_process import (
    Git,
    GitError,
    ReadObjects,
    StoredObject,
    begin_id,
    compute_id,
    describe_foreign,
)
from agentevals.github.artifact_archives import CAPS, Unpacked, Writer

_SECONDS = 120.0
_MOST = 1_000_000  # files and folders of a commit


def find_head(folder: Path) -> str:
    """Return the commit that is checked out, or an empty text if it is unknown."""
    return (_ask(folder, "rev-parse", "--verify", "HEAD") or "").strip()


def find_merge_base(folder: Path, one: str, other: str) -> str:
    """Return the merge base of two commits, or an empty text if the history is too short."""
    return (_ask(folder, "merge-base", one, other) or "").strip()


def list_parents(folder: Path, commit: str) -> list[str]:
    """Return the parents of a commit, also where they are not here; none of a missing one."""
    try:
        with _open_git(folder).open_objects() as read:
            (content,) = _check_objects(read, [commit])
    except GitError:
        return []
    header = content.partition(b"\n\n")[0].decode("utf-8", "replace").splitlines()
    return [line.removeprefix("parent ") for line in header if line.startswith("parent ")]


def list_changed(folder: Path, base: str, head: str) -> list[str] | None:
    """Return the files that differ between two commits, or None if one commit is missing."""
    before, now = (_list_entries(folder, commit) for commit in (base, head))
    if before is None or now is None:
        return None
    return sorted({entry.name for entry in {*before} ^ {*now}})


def list_contents(folder: Path, commit: str) -> dict[str, str] | None:
    """Return the ids of all files of a commit by name, or None if the commit is missing."""
    listed = _list_entries(folder, commit)
    if listed is None:
        return None
    return {entry.name: entry.content for entry in listed if entry.is_content}


def compute_file_id(path: Path, known: str) -> str:
    """Return the id that git would give to a file, of the kind of a known id."""
    with path.open("rb") as file:
        return compute_id(file, path.stat().st_size, known)


def unpack(folder: Path, commit: str, into: Path) -> Unpacked | None:
    """Unpack all files of a commit unchanged. Return None if one of them is missing or forged.

    Attributes are ignored: they would skip files, or have programs rewrite them.
    """
    listed = _list_entries(folder, commit)
    if listed is None:
        return None
    writer = Writer(into, CAPS)
    files = []
    for found in listed:
        if found.is_file:
            files.append(found)
        elif found.is_link:
            writer.skip(found.name)
    if _write(folder, files, writer):
        return writer.unpacked
    shutil.rmtree(into)
    return None


def add_links(folder: Path, commit: str, into: Path) -> None:
    """Add the links of a commit to its unpacked files, as far as they lead to one of these."""
    listed = [entry for entry in _list_entries(folder, commit) or () if entry.is_link]
    if not listed:
        return
    try:
        with _open_git(folder).open_objects() as read:
            targets = _check_objects(read, [entry.content for entry in listed])
    except GitError:
        return
    made = [into / entry.name for entry in listed]
    for place, target in zip(made, targets, strict=True):
        if _lies_in(place.parent, into) and b"\0" not in target and not os.path.lexists(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(os.fsdecode(target))
    for place in [place for place in made if place.is_symlink() and not _lies_in(place, into)]:
        place.unlink()


def _lies_in(place: Path, folder: Path) -> bool:
    return Path(os.path.realpath(place)).is_relative_to(os.path.realpath(folder))


class _Entry(NamedTuple):
    """One entry of a tree: neither links nor other repositories are files."""

    mode: bytes
    content: str
    name: str

    @property
    def is_content(self) -> bool:
        return self.mode.startswith(b"100")

    @property
    def is_file(self) -> bool:
        """Return whether it is a file that can be unpacked on every system."""
        return self.is_content and "\\" not in self.name

    @property
    def is_folder(self) -> bool:
        return self.mode == b"40000"

    @property
    def is_link(self) -> bool:
        return self.mode == b"120000"


def _list_entries(folder: Path, commit: str) -> tuple[_Entry, ...] | None:
    """Return the entries of a commit by name, or None if the commit is missing or forged."""
    try:
        return _read_entries(folder, commit)
    except GitError:
        return None


@lru_cache(maxsize=3)  # the base, the head and their merge; nothing that failed is kept
def _read_entries(folder: Path, commit: str) -> tuple[_Entry, ...]:
    """Return the entries of a commit, or raise a GitError.

    Git does not check what an object holds when it reads one, and a step before may have run
    programs of the pull request. So we check that each object has the name that it is known by.
    """
    with _open_git(folder).open_objects() as read:
        (head,) = _check_objects(read, [commit])
        top = head.partition(b"\n")[0].removeprefix(b"tree ").decode("ascii", "replace")
        return tuple(sorted(_walk(read, top), key=lambda entry: entry.name))


def _walk(read: ReadObjects, top: str) -> Iterator[_Entry]:
    """Yield the entries of a tree, and of those in it. A few trees can name each other often."""
    folders, count = [_Entry(b"40000", top, "")], 0
    while folders:
        contents = _check_objects(read, [entry.content for entry in folders])
        found = [
            entry
            for above, content in zip(folders, contents, strict=True)
            for entry in _parse_tree(content, above)
        ]
        count += len(found)
        if count > _MOST:
            msg = f"the commit has more than {_MOST:,} files and folders"
            raise GitError(msg)
        folders = [entry for entry in found if entry.is_folder]
        yield from (entry for entry in found if not entry.is_folder)


def _parse_tree(content: bytes, above: _Entry) -> Iterator[_Entry]:
    """Read `MODE NAME\0ID` again and again."""
    size, start = len(above.content) // 2, 0
    while start < len(content):
        end = content.find(b"\0", start)
        mode, _, name = content[start:end].partition(b" ")
        start = end + 1 + size
        path = os.path.join(above.name, os.fsdecode(name))  # noqa: PTH118 -- a name, not a place
        yield _Entry(mode, content[end + 1 : start].hex(), path)


def _check_objects(read: ReadObjects, names: list[str]) -> list[bytes]:
    """Return what has these names, in their order, or raise a GitError."""
    contents = []
    for name, found in zip(names, read(names), strict=True):
        content = found.read() if found else b""
        if found is None or compute_id(io.BytesIO(content), found.size, name, found.kind) != name:
            msg = f"the object {name} is missing, or has another content than it had"
            raise GitError(msg)
        contents.append(content)
    return contents


def _write(folder: Path, files: list[_Entry], writer: Writer) -> bool:
    """Return whether git had the content of all of them, and the right one."""
    found = _open_git(folder).objects(entry.content for entry in files)
    try:
        for entry, content in zip(files, found, strict=True):
            if content is None or content.kind != "blob":
                return False
            checked = _Checked(content, entry.content)
            writer.write(entry.name, checked, runs=entry.mode == b"100755")
            if not checked.is_whole:
                return False
    except GitError:
        return False
    return True


class _Checked:
    """A file of a commit, whose name is computed while it is read."""

    def __init__(self, content: StoredObject, name: str) -> None:
        self._content, self._name = content, name
        self._digest = begin_id(content.size, name)

    def read(self, size: int = -1, /) -> bytes:
        data = self._content.read(size)
        self._digest.update(data)
        return data

    @property
    def is_whole(self) -> bool:
        return self._digest.hexdigest() == self._name


def _ask(folder: Path, *words: str) -> str | None:
    answer = _open_git(folder).answer(*words)
    return None if answer is None else answer.decode(errors="surrogateescape")


def _open_git(folder: Path) -> Git:
    return Git(folder, describe_foreign(folder), _SECONDS)
