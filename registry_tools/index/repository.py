"""What git knows of a registry: its files as they were committed, and when they changed.

Nothing here looks at the working tree, so that the answer is the same on every machine.
"""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, NamedTuple

from agentevals.files.places import quoted
from agentevals.model.errors import InputError
from registry_tools.manifests import ignored

# and settings that change what it prints
HARMLESS = (
    *ignored.HARMLESS, "-c", "diff.relative=false", "-c", "log.showSignature=false",
    "-c", "diff.orderFile=/dev/null", "-c", "log.follow=false",
    "--no-replace-objects", "--literal-pathspecs",
)  # fmt: skip
_PATIENCE = 600  # seconds
_AT_ONCE = 100  # objects that are asked for before one is read; their names fit into a pipe
_SECRET = re.compile(r"//[^/@\s]+@")  # a name and a token in an address
REGULAR = {b"100644", b"100755", b"100664"}


class Blob(NamedTuple):
    """A file of a commit; `size` is -1 for what is none, such as a link or a submodule."""

    path: str
    oid: str
    size: int


class Change(NamedTuple):
    """When and where something last changed."""

    commit: str
    time: int


@dataclass(frozen=True)
class Repository:
    """The repository around a registry's root. `prefix` is where in it the root is."""

    root: Path
    prefix: str
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    def ask(self, *words: str, given: bytes | None = None) -> bytes:
        """What git says, or InputError with what it complains about."""
        done = self.attempt(*words, given=given)
        if done.returncode:
            said = complaint(done.stderr)
            msg = f"{self.root}: git {words[0]} failed: {said}"
            raise InputError(msg)
        return done.stdout

    def attempt(
        self, *words: str, given: bytes | None = None
    ) -> "subprocess.CompletedProcess[bytes]":
        """As `ask`, whatever comes of it."""
        return _git(self.root, words, given, self.environment)

    def resolve(self, ref: str) -> str:
        """The full name of the commit that a branch, a tag or a short name stands for."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        done = self.attempt(*words)
        if done.returncode:
            msg = f"git knows no {quoted(ref)} here; fetch it, or name another branch or commit"
            raise InputError(msg)
        return done.stdout.decode("ascii").strip()

    @cached_property
    def is_shallow(self) -> bool:
        """Whether the history is cut off."""
        return self.ask("rev-parse", "--is-shallow-repository").strip() == b"true"

    def blobs(self, commit: str, *paths: str) -> list[Blob]:
        """The files of a commit below some paths of the registry, sorted as git has them."""
        where = [f"{self.prefix}{path}" for path in paths]
        told = self.ask("ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *where)
        return [self._blob(line) for line in told.split(b"\0") if line]

    def _blob(self, line: bytes) -> Blob:
        about, _, path = line.partition(b"\t")
        mode, _, oid, size = about.split()
        name = os.fsdecode(path)[len(self.prefix) :]
        return Blob(name, oid.decode("ascii"), int(size) if mode in REGULAR else -1)

    def folders(self, places: Sequence[tuple[str, str]]) -> list[list[Blob]]:
        """The files below a path of a commit, for each such pair; none where it is no folder.

        All at once, level by level: asking git for each of them would take far longer.
        """
        found: list[list[Blob]] = [[] for _ in places]
        level = [
            (at, path, f"{commit}:{self.prefix}{path}") for at, (commit, path) in enumerate(places)
        ]
        while level:
            below = []
            contents = self.contents([spec for _, _, spec in level], kind=b"tree")
            for (at, path, _), content in zip(level, contents, strict=True):
                for mode, name, oid in _tree(content or b"", len(places[at][0]) // 2):
                    inner = f"{path}/{name}"
                    if mode == b"40000":
                        below.append((at, inner, oid))
                    else:
                        found[at].append(Blob(inner, oid, 0 if mode in REGULAR else -1))
            level = below
        return found

    def contents(self, names: Sequence[str], kind: bytes = b"blob") -> Iterator[bytes | None]:
        """Objects in the order in which they are asked for; None for what is not there."""
        words = ["git", *HARMLESS, "-C", str(self.root), "cat-file", "--batch"]
        with subprocess.Popen(  # noqa: S603 -- git, with words of ours
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=_environment(self.environment),
        ) as reader:  # fmt: skip
            try:
                yield from _answers(reader, names, kind)
            finally:
                reader.kill()

    def changes(self, commit: str, path: str) -> Iterator[tuple[Change, list[str]]]:
        """The main line backwards: each commit that changed something below a path, and what.

        A merge counts as the moment in which what it brought became part of the main line.
        """
        told = self.ask(
            "log", "--first-parent", "-m", "--no-renames", "--no-show-signature", "--no-notes",
            "--no-color", "--no-ext-diff", "--no-textconv", "--name-only", "-z",
            "--format=%x01%H %ct", commit, "--", path,
        )  # fmt: skip
        change: Change | None = None
        names: list[str] = []
        for token in told.split(b"\0"):
            if token.startswith(b"\1"):
                if change is not None:
                    yield change, names
                oid, _, time = token[1:].partition(b" ")
                change, names = Change(oid.decode("ascii"), int(time)), []
            elif token:
                names.append(os.fsdecode(token.removeprefix(b"\n"))[len(self.prefix) :])
        if change is not None:
            yield change, names

    def main_line(self, commit: str) -> dict[str, int]:
        """Every commit that the branch itself has been at, and its time."""
        told = self.ask("log", "--first-parent", "--no-show-signature", "--format=%H %ct", commit)
        pairs = (line.split() for line in told.decode("ascii").splitlines())
        return {name: int(time) for name, time in pairs}


def find(root: Path, environment: Mapping[str, str] | None = None) -> Repository | None:
    """The repository that a folder is in, if it is in one that has a commit."""
    around = environment or {}
    done = _git(root, ("rev-parse", "--show-prefix"), None, around)
    if not done.returncode:
        prefix = os.fsdecode(done.stdout.removesuffix(b"\n"))
        found = Repository(root, prefix, around)
        return (
            found if found.attempt("rev-parse", "--verify", "-q", "HEAD").returncode == 0 else None
        )
    if any((folder / ".git").exists() for folder in (root.absolute(), *root.absolute().parents)):
        msg = f"{root}: git refuses to read this repository: {complaint(done.stderr)}"
        raise InputError(msg)
    return None


def complaint(stderr: bytes) -> str:
    """The line of git that says most."""
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", " !"))]
    said = (telling or lines or ["it says nothing"])[0].strip()
    return quoted(_SECRET.sub("//", said), 200)[1:-1]


def _answers(
    reader: "subprocess.Popen[bytes]", names: Sequence[str], kind: bytes
) -> Iterator[bytes | None]:
    asked, told = reader.stdin, reader.stdout
    if asked is None or told is None:
        return
    for begin in range(0, len(names), _AT_ONCE):
        batch = names[begin : begin + _AT_ONCE]
        asked.write(b"".join(os.fsencode(name) + b"\n" for name in batch))
        asked.flush()
        for _ in batch:
            yield _answer(told, kind)


def _answer(told: IO[bytes], kind: bytes) -> bytes | None:
    """`NAME TYPE SIZE` and the object, or `NAME missing`."""
    line = told.readline()
    if not line:
        msg = "git ended while it was reading; run git fsck"
        raise InputError(msg)
    *_, found, size = line.rsplit(b" ", 2)
    if not size.strip().isdigit():
        return None
    content = told.read(int(size) + 1)[:-1]
    return content if found == kind else None


def _tree(content: bytes, digest: int) -> Iterator[tuple[bytes, str, str]]:
    """Mode, name and object of each line of a tree; `digest` is how many bytes a name has."""
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        mode, _, name = content[at:end].partition(b" ")
        at = end + 1 + digest
        yield mode, os.fsdecode(name), content[end + 1 : at].hex()


def _git(
    root: Path, words: Iterable[str], given: bytes | None, environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(  # noqa: S603 -- git, with words of ours
            ["git", *HARMLESS, "-C", str(root), *words],  # noqa: S607 -- as the PATH has it
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            env=_environment(environment),
        )
    except FileNotFoundError:
        msg = "git is not installed, and the registry's tools need it"
        raise InputError(msg) from None
    except subprocess.TimeoutExpired:
        msg = f"git did not answer within {_PATIENCE} seconds"
        raise InputError(msg) from None


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    """Without questions to a person, and with messages that we can read."""
    return {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **more}
