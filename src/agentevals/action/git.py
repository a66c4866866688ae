"""The few questions that git answers about the checkout. It is asked without running anything.

The checkout belongs to somebody else than us, so git has to be told that it may be read; that is
said to our own calls alone, never in a configuration that others would inherit. Only commands are
used that start no program which a config can name, such as filters or compressors.
"""

import hashlib
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from agentevals.files.git import Git, GitError, describe_foreign
from agentevals.github.archives import CAPS, Unpacked, Writer

_SECONDS = 120.0
_SHA1_DIGITS = 40
_PIECE = 2**20


def head(folder: Path) -> str:
    """The commit that is checked out; empty where nobody knows."""
    return (_asked(folder, "rev-parse", "--verify", "HEAD") or "").strip()


def merge_base(folder: Path, one: str, other: str) -> str:
    """Where two commits part; empty where the history here does not tell."""
    return (_asked(folder, "merge-base", one, other) or "").strip()


def changed(folder: Path, base: str, head: str) -> list[str] | None:
    """The files that differ between two commits; None where one of them is not here."""
    words = ("diff-tree", "-r", "--name-only", "--no-renames", "-z")
    said = _asked(folder, *words, base, head, "--")
    return None if said is None else [name for name in said.split("\0") if name]


def contents(folder: Path, commit: str) -> dict[str, str] | None:
    """The ids of all files of a commit by their names; None where the commit is not here."""
    listed = _listed(folder, commit)
    if listed is None:
        return None
    return {entry.name: entry.content.decode() for entry in listed if entry.is_file}


def content_id(path: Path, known: str) -> str:
    """The id that git gives to what a file holds, of the same kind as an id that is known.

    It is computed here, because git itself would start the filters that a config names.
    """
    kind = "sha1" if len(known) == _SHA1_DIGITS else "sha256"
    digest = hashlib.new(kind, b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def unpack(folder: Path, commit: str, into: Path) -> Unpacked | None:
    """All files of a commit, as they are committed; None where they are not all here.

    Attributes are not asked, which would leave files out or have them rewritten by programs.
    """
    listed = _listed(folder, commit)
    if listed is None:
        return None
    writer = Writer(into, CAPS)
    files = []
    for found in listed:
        if found.is_file:
            files.append(found)
        elif found.is_link:
            writer.leave_out(found.name)
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
    def of(cls, line: bytes) -> "_Entry":
        facts, _, name = line.partition(b"\t")
        mode, _, content = facts.split(b" ")
        return cls(mode, content, os.fsdecode(name))

    @property
    def is_file(self) -> bool:
        return self.mode.startswith(b"100") and "\\" not in self.name

    @property
    def is_link(self) -> bool:
        return self.mode == b"120000"


def _listed(folder: Path, commit: str) -> list[_Entry] | None:
    """Everything that a commit holds; None where the commit is not here."""
    answer = _git(folder).answer("ls-tree", "-r", "-z", "--full-tree", commit)
    return None if answer is None else [_Entry.of(line) for line in answer.split(b"\0") if line]


def _write(folder: Path, files: list[_Entry], writer: Writer) -> bool:
    """Return whether git had the content of all of them."""
    found = _git(folder).objects(entry.content.decode() for entry in files)
    try:
        for entry, content in zip(files, found, strict=True):
            if content is None or content.kind != "blob":
                return False
            writer.write(entry.name, content, runs=entry.mode == b"100755")
    except GitError:
        return False
    return True


def _asked(folder: Path, *words: str) -> str | None:
    answer = _git(folder).answer(*words)
    return None if answer is None else answer.decode(errors="surrogateescape")


def _git(folder: Path) -> Git:
    return Git(folder, describe_foreign(folder), _SECONDS)
