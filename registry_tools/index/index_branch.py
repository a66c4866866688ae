"""A branch of a remote: fetch its tip, commit files on top without a working tree, push."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from agentevals.files.document_places import quote
from agentevals.files.git_process import complaint
from agentevals.model.errors import UnavailableError
from registry_tools.index.index_repository import Repository, add_token

_PUBLISHER = "agentevals registry <agentevals-registry@users.noreply.github.com>"
_REMOTE = re.compile(r"^remote:\s*(?:error:)?\s*(\S.*?)\s*$", re.MULTILINE)
_PROTECTED = re.compile(r"GH006|GH013|protected branch|pull request|hook declined", re.IGNORECASE)
_MOST_SAID = 400  # characters of what a server says
_REMEDY = (
    "this branch is protected: publish to another place (--to), or give the job a token that may "
    "push; docs/protected-main.md has a workflow for each"
)

Files = Mapping[str, bytes | None]  # None for files to remove


@dataclass(frozen=True)
class Branch:
    """A branch, as the remote has it."""

    found: Repository
    remote: str = "origin"
    name: str = "main"

    def __str__(self) -> str:
        return f"{self.remote}/{self.name}"

    @cached_property
    def _online(self) -> Repository:
        return add_token(self.found, self.remote)

    def fetch(self) -> str:
        """Fetch the tip with its history."""
        here = f"refs/agentevals/{os.getpid()}"
        there = f"+refs/heads/{self.name}:{here}"
        words = (
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
        )
        done = self._online.attempt(*words, "--end-of-options", self.remote, there, online=True)
        if done.returncode:
            msg = f"{self}: it cannot be fetched: {complaint(done.stderr)}"
            raise UnavailableError(msg)
        tip = self.found.resolve(here)
        self.found.ask("update-ref", "-d", here)
        return tip

    def fetch_if_there(self) -> str:
        """Fetch the tip; empty where the remote has no such branch."""
        words = ("ls-remote", "--heads", "--end-of-options", self.remote, f"refs/heads/{self.name}")
        done = self._online.attempt(*words, online=True)
        if done.returncode:
            msg = f"{self}: it cannot be asked for: {complaint(done.stderr)}"
            raise UnavailableError(msg)
        return self.fetch() if done.stdout.strip() else ""

    def commit(self, parent: str, message: str, files: Files) -> str:
        """Commit these files on top of a commit, or as the first of a branch."""
        ref = f"refs/agentevals/{os.getpid()}"
        script = b"".join(self._write_script(parent, message.encode(), files, ref))
        self.found.ask("fast-import", "--quiet", "--force", "--date-format=now", given=script)
        commit = self.found.resolve(ref)
        self.found.ask("update-ref", "-d", ref)
        return commit

    def _write_script(self, parent: str, message: bytes, files: Files, ref: str) -> Iterator[bytes]:
        yield f"feature done\ncommit {ref}\n".encode()
        yield f"committer {_find_identity()} now\ndata {len(message)}\n".encode() + message + b"\n"
        if parent:
            yield f"from {parent}\n".encode()
        for path, content in files.items():
            where = _quote(self.found.prefix + path)
            if content is None:
                yield b"D " + where + b"\n"
            else:
                yield b"M 100644 inline " + where + b"\ndata %d\n" % len(content) + content + b"\n"
        yield b"done\n"

    def push(self, commit: str, *, anew: bool = False) -> str:
        """Push a commit, and return why the remote refused it, or nothing."""
        there = f"{'+' if anew else ''}{commit}:refs/heads/{self.name}"
        words = ("push", "--quiet", "--no-verify", "--no-follow-tags", "--end-of-options")
        done = self._online.attempt(*words, self.remote, there, online=True)
        return explain_refusal(done.stderr) if done.returncode else ""


def explain_refusal(stderr: bytes) -> str:
    """Return what git says, the server's own sentences, and what to do about a protected branch."""
    said = _REMOTE.findall(stderr.decode("utf-8", "replace"))
    sentences = quote(" ".join(said), _MOST_SAID)[1:-1]
    whole = f"{complaint(stderr)}; the server says: {sentences}" if said else complaint(stderr)
    return f"{whole}; {_REMEDY}" if _PROTECTED.search(whole) else whole


def _find_identity() -> str:
    name, mail = os.environ.get("GIT_COMMITTER_NAME"), os.environ.get("GIT_COMMITTER_EMAIL")
    return f"{_clean(name)} <{_clean(mail)}>" if name and mail else _PUBLISHER


def _clean(text: str) -> str:
    return re.sub(r"[<>\n\0]", "", text)


def _quote(path: str) -> bytes:
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"' + escaped.replace(b"\n", b"\\n") + b'"'
