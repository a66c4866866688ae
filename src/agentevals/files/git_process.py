"""The one way git is started: it runs nothing that a repository names, and it has a time limit.

Whoever wrote a checkout may have written its `.git/config` as well. Every call switches off the
programs that a config can name, network access and replaced objects. Commands that start filters
or compressors are up to the callers, who avoid them.
"""

import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Timer
from typing import IO, cast

from agentevals.files.document_places import quote
from agentevals.model.errors import InputError

_SECONDS = 600.0
_LONGEST_LINE = 65_536  # bytes that `cat-file` prints before an object
_PIECE = 2**20
_ASKED_AT_ONCE = 2**15  # bytes of names; a pipe holds more
_SHA1_DIGITS = 40
_SECRET = re.compile(r"//[^/@\s]+@")  # a name and a token in an address
_OPTIONS = ("--no-pager", "--no-replace-objects", "--literal-pathspecs")
_SETTINGS = (
    ("core.hooksPath", os.devnull),
    ("core.fsmonitor", "false"),
    ("core.commitGraph", "false"),  # it would tell parents without their commits
    ("core.quotePath", "false"),
    ("safe.bareRepository", "explicit"),  # a folder of the checkout may look like a repository
    ("diff.relative", "false"),  # the rest changes what git prints
    ("diff.orderFile", os.devnull),
    ("log.showSignature", "false"),
    ("log.follow", "false"),
)
_CONSTANT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "LC_ALL": "C",
}
# no config can overrule these: nothing is fetched
_OFFLINE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
# where the user's own settings are; everything else of the environment stays with us
_PASSED = re.compile(r"PATH|HOME|XDG_CONFIG_HOME|GIT_CONFIG_\w+|GIT_CEILING_DIRECTORIES")


class GitError(InputError):
    """A question that git refused, did not answer in time, or could not be asked."""


class StoredObject:
    """One object of a repository, read while git prints it."""

    def __init__(self, stream: IO[bytes], kind: str, size: int) -> None:
        self.kind, self.size = kind, size
        self._stream, self._left = stream, size

    def read(self, size: int = -1, /) -> bytes:
        """Return at most so many bytes, or the rest."""
        wanted = self._left if size < 0 else min(size, self._left)
        data = self._stream.read(wanted)
        if len(data) < wanted:
            raise _interruption()
        self._left -= wanted
        return data

    def skip_rest(self) -> None:
        """Read to the line end behind the object; GitError where git ended before it."""
        while self._left:
            self.read(_PIECE)
        if self._stream.read(1) != b"\n":
            raise _interruption()


ReadObjects = Callable[[Iterable[str]], Iterator[StoredObject | None]]


@dataclass(frozen=True)
class Git:
    """The git program in one folder. `environment` holds more variables for it."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    seconds: float = _SECONDS

    def run(
        self, *words: str, given: bytes | None = None, online: bool = False
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run one command, whatever its exit code. Only `online` may reach a server."""
        try:
            return subprocess.run(  # noqa: S603 -- git, with words of ours
                self._command(words),
                input=given,
                stdin=subprocess.DEVNULL if given is None else None,
                capture_output=True,
                timeout=self.seconds,
                check=False,
                env=self._environment(online=online),
            )
        except OSError as error:
            raise _explain_start(error) from None
        except subprocess.TimeoutExpired:
            msg = f"git did not answer within {self.seconds:.0f} seconds"
            raise GitError(msg) from None

    def ask(self, *words: str, given: bytes | None = None) -> bytes:
        """Return the output of one command, or GitError with the complaint of git."""
        done = self.run(*words, given=given)
        if done.returncode:
            msg = f"{self.folder}: git {words[0]} failed: {complaint(done.stderr)}"
            raise GitError(msg)
        return done.stdout

    def answer(self, *words: str) -> bytes | None:
        """Return the output of one command; None where git fails, or is missing."""
        try:
            return self.ask(*words)
        except GitError:
            return None

    def objects(self, names: Iterable[str]) -> Iterator[StoredObject | None]:
        """Yield objects in the order of their names, None for a missing one.

        An object can be read until the next one is asked for.
        """
        with self.open_objects() as read:
            yield from read(names)

    @contextmanager
    def open_objects(self) -> Iterator[ReadObjects]:
        """Yield what reads objects by their names, again and again, out of one process of git."""
        try:
            running = subprocess.Popen(  # noqa: S603 -- git, with words of ours
                self._command(("cat-file", "--batch")),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment(),
            )
        except OSError as error:
            raise _explain_start(error) from None
        with running:
            limit = Timer(self.seconds, running.kill)
            limit.daemon = True
            limit.start()
            try:
                pipes = cast("tuple[IO[bytes], IO[bytes]]", (running.stdin, running.stdout))
                yield partial(_read_objects, *pipes)
            finally:
                limit.cancel()
                running.kill()

    def _command(self, words: Iterable[str]) -> list[str]:
        pairs = (word for key, value in _SETTINGS for word in ("-c", f"{key}={value}"))
        return ["git", *_OPTIONS, *pairs, "-C", str(self.folder), *words]

    def _environment(self, *, online: bool = False) -> dict[str, str]:
        """Build it: a command that stays on this machine needs no token and no agent."""
        if online:
            return {**os.environ, **_CONSTANT, **self.environment}
        passed = {key: value for key, value in os.environ.items() if _PASSED.fullmatch(key)}
        return {"PATH": os.defpath, **passed, **_CONSTANT, **_OFFLINE, **self.environment}


def _read_objects(
    asked: IO[bytes], output: IO[bytes], names: Iterable[str]
) -> Iterator[StoredObject | None]:
    """Ask for as many as fit into a pipe, so that git and we never wait for each other."""
    for lines in _pack(os.fsencode(name) + b"\n" for name in names):
        rest = b"".join(lines)
        try:
            while rest:
                rest = rest[os.write(asked.fileno(), rest) :]
        except OSError:
            raise _interruption() from None
        for _ in lines:
            found = _read_head(output)
            yield found
            if found is not None:
                found.skip_rest()


def _pack(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    group, size = list[bytes](), 0
    for line in lines:
        if group and size + len(line) > _ASKED_AT_ONCE:
            yield group
            group, size = [], 0
        group.append(line)
        size += len(line)
    if group:
        yield group


def describe_foreign(folder: Path) -> dict[str, str]:
    """Return variables for a checkout that belongs to another user, such as the runner's.

    Only our own calls may read it, without anybody's settings; no folder above it counts.
    """
    return {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
    }


def compute_id(content: IO[bytes], size: int, known: str, kind: str = "blob") -> str:
    """Return the id that git gives to a file with this content, of the kind of a known id.

    It is computed here, because git itself would start the filters that a config names.
    """
    digest = begin_id(size, known, kind)
    while piece := content.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()


def begin_id(size: int, known: str, kind: str = "blob") -> "hashlib._Hash":
    """Return the digest to which the content of an object is to be added."""
    name = "sha1" if len(known) == _SHA1_DIGITS else "sha256"
    return hashlib.new(name, f"{kind} {size}\0".encode(), usedforsecurity=False)


def complaint(stderr: bytes) -> str:
    """Return the line of git that explains most, without secrets."""
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", " !"))]
    said = (telling or lines or ["it says nothing"])[0].strip()
    return quote(_SECRET.sub("//", said), 200)[1:-1]


def _read_head(output: IO[bytes]) -> StoredObject | None:
    """Read `NAME TYPE SIZE`, or `NAME missing`."""
    line = output.readline(_LONGEST_LINE)
    if not line:
        raise _interruption()
    *_, kind, size = line.rsplit(b" ", 2)
    if not size.strip().isdigit():
        return None
    return StoredObject(output, kind.decode("ascii", "replace"), int(size))


def _explain_start(error: OSError) -> GitError:
    if isinstance(error, FileNotFoundError):
        return GitError("git is not installed; install it")
    return GitError(f"git cannot be started: {(error.strerror or 'unknown').lower()}")


def _interruption() -> GitError:
    return GitError("git ended while it was reading, or took too long; run git fsck")
