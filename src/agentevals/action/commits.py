"""Commits of the checkout: their files, and where they part. Asking git runs no other program.

The checkout belongs to another user, so git has to be told that it may be read. Only our own calls
are told, never a configuration that others would inherit. No command is used that starts a program
from a config, such as a filter or a compressor.
"""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from agentevals.files.git import Git, GitError, compute_id, describe_foreign
from agentevals.github.archives import CAPS, Unpacked, Writer

_SECONDS = 120.0


def find_head(folder: Path) -> str:
    """Return the commit that is checked out, or an empty text if it is unknown."""
    return (_ask(folder, "rev-parse", "--verify", "HEAD") or "").strip()


def find_merge_base(folder: Path, one: str, other: str) -> str:
    """Return the merge base of two commits, or an empty text if the history is too short."""
    return (_ask(folder, "merge-base", one, other) or "").strip()


def list_changed(folder: Path, base: str, head: str) -> list[str] | None:
    """Return the files that differ between two commits, or None if one commit is missing."""
    words = ("diff-tree", "-r", "--name-only", "--no-renames", "-z")
    said = _ask(folder, *words, base, head, "--")
    return None if said is None else [name for name in said.split("\0") if name]


def list_contents(folder: Path, commit: str) -> dict[str, str] | None:
    """Return the ids of all files of a commit by name, or None if the commit is missing."""
    listed = _list_entries(folder, commit)
    if listed is None:
        return None
    return {entry.name: entry.content.decode() for entry in listed if entry.is_content}


def compute_file_id(path: Path, known: str) -> str:
    """Return the id that git would give to a file, of the kind of a known id."""
    with path.open("rb") as file:
        return compute_id(file, path.stat().st_size, known)


def unpack(folder: Path, commit: str, into: Path) -> Unpacked | None:
    """Unpack all files of a commit unchanged. Return None if one of them is missing.

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


class _Entry(NamedTuple):
    """One line of `ls-tree`: neither links nor other repositories are files."""

    mode: bytes
    content: bytes
    name: str

    @classmethod
    def parse(cls, line: bytes) -> "_Entry":
        facts, _, name = line.partition(b"\t")
        mode, _, content = facts.split(b" ")
        return cls(mode, content, os.fsdecode(name))

    @property
    def is_content(self) -> bool:
        return self.mode.startswith(b"100")

    @property
    def is_file(self) -> bool:
        """Return whether it is a file that can be unpacked on every system."""
        return self.is_content and "\\" not in self.name

    @property
    def is_link(self) -> bool:
        return self.mode == b"120000"


def _list_entries(folder: Path, commit: str) -> list[_Entry] | None:
    """Return the entries of a commit, or None if the commit is missing."""
    answer = _open_git(folder).answer("ls-tree", "-r", "-z", "--full-tree", commit)
    return None if answer is None else [_Entry.parse(line) for line in answer.split(b"\0") if line]


def _write(folder: Path, files: list[_Entry], writer: Writer) -> bool:
    """Return whether git had the content of all of them."""
    found = _open_git(folder).objects(entry.content.decode() for entry in files)
    try:
        for entry, content in zip(files, found, strict=True):
            if content is None or content.kind != "blob":
                return False
            writer.write(entry.name, content, runs=entry.mode == b"100755")
    except GitError:
        return False
    return True


def _ask(folder: Path, *words: str) -> str | None:
    answer = _open_git(folder).answer(*words)
    return None if answer is None else answer.decode(errors="surrogateescape")


def _open_git(folder: Path) -> Git:
    return Git(folder, describe_foreign(folder), _SECONDS)
