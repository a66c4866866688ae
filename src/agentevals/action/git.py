"""The few questions that git answers about the checkout. It is asked without running anything.

The checkout belongs to somebody else than us, so git has to be told that it may be read; that is
said to our own calls alone, never in a configuration that others would inherit. Whoever wrote the
checkout may have written its `.git/config` as well: only commands are used that start no program
which a config can name, such as filters, compressors or remote helpers.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import IO, NamedTuple

from agentevals.github.archives import CAPS, Unpacked, Writer

_SECONDS = 120.0
_LONGEST_LINE = 256  # bytes of what `cat-file` says before a content
_SHA1_DIGITS = 40
_PIECE = 2**20
_SETTINGS = (
    ("safe.directory", "*"),
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("protocol.allow", "never"),
    ("core.quotePath", "false"),
    ("safe.bareRepository", "explicit"),  # a folder of the checkout may look like a repository
)


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
    if _written(folder, files, writer):
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
    answer = _answered(folder, "ls-tree", "-r", "-z", "--full-tree", commit)
    return None if answer is None else [_Entry.of(line) for line in answer.split(b"\0") if line]


def _written(folder: Path, files: list[_Entry], writer: Writer) -> bool:
    """Whether git had the content of all of them."""
    with tempfile.TemporaryFile() as wanted:
        wanted.writelines(entry.content + b"\n" for entry in files)
        wanted.seek(0)
        with _answering(folder, wanted, "cat-file", "--batch") as said:
            for entry in files:
                head = said.readline(_LONGEST_LINE).split()
                if len(head) != 3 or head[1] != b"blob":  # noqa: PLR2004 -- id, kind and size
                    return False
                content = _Content(said, int(head[2]))
                writer.write(entry.name, content, runs=entry.mode == b"100755")
                if not content.is_whole or said.read(1) != b"\n":
                    return False
    return True


class _Content:
    """So many bytes of a stream."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self._stream, self._left = stream, size

    @property
    def is_whole(self) -> bool:
        return self._left == 0

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(min(size, self._left))
        self._left -= len(data)
        return data


@contextmanager
def _answering(folder: Path, asked: IO[bytes], *words: str) -> Iterator[IO[bytes]]:
    """What git says while it says it; it is ended where that takes too long."""
    with subprocess.Popen(  # noqa: S603 -- git alone, with words of ours and hashes
        _command(folder, *words),
        stdin=asked,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(folder),
    ) as running:
        limit = Timer(_SECONDS, running.kill)
        limit.start()
        try:
            yield running.stdout or asked
        finally:
            limit.cancel()
            running.kill()


def _asked(folder: Path, *words: str) -> str | None:
    answer = _answered(folder, *words)
    return None if answer is None else answer.decode(errors="surrogateescape")


def _answered(folder: Path, *words: str) -> bytes | None:
    """What git says, or None: that it is missing and that it does not know is the same to us."""
    try:
        done = subprocess.run(  # noqa: S603 -- git alone, with words of ours and hashes
            _command(folder, *words),
            capture_output=True,
            timeout=_SECONDS,
            check=True,
            env=environment(folder),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


def _command(folder: Path, *words: str) -> list[str]:
    return ["git", "--no-pager", "-C", str(folder), *words]


def environment(folder: Path) -> dict[str, str]:
    """Built, not inherited: no token, and nobody's own settings. The last lines are what no
    config of the checkout can overrule: nothing is fetched, nothing above it is a repository."""
    settings = {"GIT_CONFIG_COUNT": str(len(_SETTINGS))}
    for at, (key, value) in enumerate(_SETTINGS):
        settings |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_ATTR_NOSYSTEM": "1",
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        **settings,
    }
