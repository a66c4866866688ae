"""The git repository of a registry: its committed files, and when they changed.

Nothing here looks at the working tree, so that the answer is the same on every machine.
"""

import base64
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple
from urllib.parse import urlsplit

from agentevals.files.document_places import quote
from agentevals.files.git_process import Git, complaint
from agentevals.model.errors import InputError

_SERVER = "https://github.com"
REGULAR = {b"100644", b"100755", b"100664"}


class Blob(NamedTuple):
    """A file of a commit; `size` is -1 for what is none, such as a link or a submodule."""

    path: str
    oid: str
    size: int


class Change(NamedTuple):
    """The commit and time of a change."""

    commit: str
    time: int


@dataclass(frozen=True)
class Repository:
    """The repository around a registry's root. `prefix` is where in it the root is."""

    root: Path
    prefix: str
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    @cached_property
    def _git(self) -> Git:
        return Git(self.root, self.environment)

    def ask(self, *words: str, given: bytes | None = None) -> bytes:
        """Return the output of git, or InputError with its complaint."""
        return self._git.ask(*words, given=given)

    def attempt(self, *words: str, online: bool = False) -> CompletedProcess[bytes]:
        """Run git, whatever its exit code. Only `online` may reach a server."""
        return self._git.run(*words, online=online)

    def resolve(self, ref: str) -> str:
        """Return the full name of the commit that a branch, a tag or a short name stands for."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        done = self.attempt(*words)
        if done.returncode:
            msg = f"git knows no {quote(ref)} here; fetch it, or name another branch or commit"
            raise InputError(msg)
        return done.stdout.decode("ascii").strip()

    @cached_property
    def is_shallow(self) -> bool:
        """True where the history is cut off."""
        return self.ask("rev-parse", "--is-shallow-repository").strip() == b"true"

    def list_blobs(self, commit: str, *paths: str) -> list[Blob]:
        """List the files of a commit below some paths of the registry, sorted as git has them."""
        where = [f"{self.prefix}{path}" for path in paths]
        told = self.ask("ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *where)
        return [self._parse_blob(line) for line in told.split(b"\0") if line]

    def _parse_blob(self, line: bytes) -> Blob:
        about, _, path = line.partition(b"\t")
        mode, _, oid, size = about.split()
        name = os.fsdecode(path)[len(self.prefix) :]
        return Blob(name, oid.decode("ascii"), int(size) if mode in REGULAR else -1)

    def list_folders(self, places: Sequence[tuple[str, str]]) -> list[list[Blob]]:
        """List the files below a path of a commit, for each pair; none where it is no folder.

        All at once, level by level: asking git for each of them would take far longer.
        """
        found: list[list[Blob]] = [[] for _ in places]
        level = [
            (at, path, f"{commit}:{self.prefix}{path}") for at, (commit, path) in enumerate(places)
        ]
        while level:
            below = []
            contents = self.read_contents([spec for _, _, spec in level], kind="tree")
            for (at, path, _), content in zip(level, contents, strict=True):
                for mode, name, oid in _parse_tree(content or b"", len(places[at][0]) // 2):
                    inner = f"{path}/{name}"
                    if mode == b"40000":
                        below.append((at, inner, oid))
                    else:
                        found[at].append(Blob(inner, oid, 0 if mode in REGULAR else -1))
            level = below
        return found

    def read_contents(self, names: Sequence[str], kind: str = "blob") -> Iterator[bytes | None]:
        """Yield objects in the order of their names, None for a missing one."""
        for found in self._git.objects(names):
            content = found.read() if found else None
            yield content if found and found.kind == kind else None

    def list_changes(self, commit: str, path: str) -> Iterator[tuple[Change, list[str]]]:
        """Yield each commit of the main line that changed a path, newest first, with its files.

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

    def read_main_line(self, commit: str) -> dict[str, int]:
        """Return every commit of the main line with its time."""
        told = self.ask("log", "--first-parent", "--no-show-signature", "--format=%H %ct", commit)
        pairs = (line.split() for line in told.decode("ascii").splitlines())
        return {name: int(time) for name, time in pairs}


def find(root: Path) -> Repository | None:
    """Return the repository around a folder, if there is one with a commit."""
    done = Git(root).run("rev-parse", "--show-prefix")
    if not done.returncode:
        prefix = os.fsdecode(done.stdout.removesuffix(b"\n"))
        found = Repository(root, prefix)
        has_commit = not found.attempt("rev-parse", "--verify", "-q", "HEAD").returncode
        return found if has_commit else None
    if any((folder / ".git").exists() for folder in (root.absolute(), *root.absolute().parents)):
        msg = f"{root}: git refuses to read this repository: {complaint(done.stderr)}"
        raise InputError(msg)
    return None


def _parse_tree(content: bytes, digest: int) -> Iterator[tuple[bytes, str, str]]:
    """Yield mode, name and object of each line of a tree; an object id has `digest` bytes."""
    at = 0
    while at < len(content):
        end = content.index(b"\0", at)
        mode, _, name = content[at:end].partition(b" ")
        at = end + 1 + digest
        yield mode, os.fsdecode(name), content[end + 1 : at].hex()


def add_token(found: Repository, remote: str) -> Repository:
    """Return the repository with GITHUB_TOKEN, for the token's own server alone.

    It travels in the environment: arguments of programs can be read by everybody on a machine.
    """
    token = os.environ.get("AGENTEVALS_GITHUB_TOKEN") or os.environ.get("GITHUB_TOKEN")
    server = os.environ.get("GITHUB_SERVER_URL") or _SERVER
    address = found.attempt("remote", "get-url", "--push", "--", remote).stdout.decode().strip()
    if not token or not _is_same_host(address, server) or _has_header(found, address):
        return found
    count = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode("ascii")
    settings = {
        "GIT_CONFIG_COUNT": str(count + 1),
        f"GIT_CONFIG_KEY_{count}": f"http.{server.rstrip('/')}/.extraheader",
        f"GIT_CONFIG_VALUE_{count}": f"AUTHORIZATION: basic {secret}",
    }
    return replace(found, environment={**found.environment, **settings})


def _is_same_host(address: str, server: str) -> bool:
    one, other = urlsplit(address), urlsplit(server)
    return one.scheme == "https" == other.scheme and one.netloc.lower() == other.netloc.lower()


def _has_header(found: Repository, address: str) -> bool:
    """Return whether the checkout has a token itself; a server refuses two of them."""
    done = found.attempt("config", "--get-urlmatch", "http.extraheader", address)
    return bool(done.stdout.strip())


def read_blob(found: Repository, blobs: Sequence[Blob], path: str) -> bytes | None:
    """Read one of some files, if it is among them and no link."""
    oids = [blob.oid for blob in blobs if blob.path == path and blob.size >= 0]
    return next(iter(found.read_contents(oids)), None) if oids else None


def read_earlier(found: Repository, commit: str, path: str) -> Iterator[bytes]:
    """Yield the contents that a file had on the main line, the newest first."""
    for change, _ in found.list_changes(commit, path):
        said = read_blob(found, found.list_blobs(change.commit, path), path)
        if said is not None:
            yield said


def read_lasting(found: Repository, commit: str, path: str) -> bytes | None:
    """Read a file of a commit, or its last content where it was removed."""
    said = read_blob(found, found.list_blobs(commit, path), path)
    return said if said is not None else next(read_earlier(found, commit, path), None)
