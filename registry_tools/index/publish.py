"""Publishing an index, whoever else pushes at the same time.

It is built from the tip of the branch, never from the commit that started a job, and pushed on
top of it. When somebody was faster it is built anew. It is done when what the branch says is what
its own tip compiles to: the last look at the remote is the proof.
"""

import hashlib
import os
import random
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agentevals.evaluator.published import HEAD, parse_head
from agentevals.files.git import complaint
from agentevals.model.errors import UnavailableError
from agentevals.text.wording import plural
from registry_tools.index import build, guard, staleness
from registry_tools.index.build import Built
from registry_tools.index.credentials import with_token
from registry_tools.index.guard import Guard
from registry_tools.index.repository import Repository
from registry_tools.index.serialise import FOLDER

_ATTEMPTS = 20
_UNMOVED = 3  # refusals while nobody else has pushed: waiting longer changes nothing
_PAUSE = 0.2  # seconds, more with every attempt, so that publishers get out of step
_PUBLISHER = "agentevals registry <agentevals-registry@users.noreply.github.com>"
_OURS = re.compile(rf"index\.json|index\.yaml|head\.json|{FOLDER}/[^/]+\.json")


@dataclass(frozen=True)
class Target:
    """Where an index is published."""

    remote: str = "origin"
    branch: str = "main"

    def __str__(self) -> str:
        return f"{self.remote}/{self.branch}"


@dataclass(frozen=True)
class Published:
    """What the branch says now. `refused` is why nothing was published."""

    built: Built
    commit: str
    pushed: int = 0
    refused: tuple[str, ...] = ()
    changes: tuple[str, ...] = field(default=())

    @property
    def sequence(self) -> int:
        """How many indexes there have been."""
        found = parse_head(self.built.files[HEAD])
        return found.sequence if found else 0


def publish(
    found: Repository, target: Target, limits: Guard, *, dry_run: bool = False
) -> Published:
    """Until the branch says what its tip compiles to, or a guard forbids it."""
    remote = with_token(found, target.remote)
    pushed, unmoved, before, complaints = 0, 0, "", ""
    for attempt in range(_ATTEMPTS):
        tip = _fetched(remote, target)
        made = build.of_commit(found, tip, thorough=True)
        stale = _stale(found, tip, made.files)
        refused = tuple(guard.objections(made, limits)) if stale else ()
        changes = tuple(staleness.differences(made.before, made.index)) if stale else ()
        if not stale or refused or dry_run:
            return Published(made, tip, pushed, refused, changes)
        unmoved = unmoved + 1 if tip == before else 0
        if unmoved >= _UNMOVED:
            break
        before = tip
        complaints = _pushed(remote, target, _commit(found, tip, made, stale))
        pushed += not complaints
        if complaints:
            time.sleep(_PAUSE * random.random() * (attempt + 1))  # noqa: S311 -- no secret
    msg = f"{target}: it cannot be pushed: {complaints or 'others push without pause'}"
    raise UnavailableError(msg)


def _fetched(remote: Repository, target: Target) -> str:
    """The tip of the branch, with everything that belongs to it."""
    here = f"refs/agentevals/{os.getpid()}"
    there = f"+refs/heads/{target.branch}:{here}"
    words = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
    done = remote.attempt(*words, "--end-of-options", target.remote, there, online=True)
    if done.returncode:
        msg = f"{target}: it cannot be fetched: {complaint(done.stderr)}"
        raise UnavailableError(msg)
    tip = remote.resolve(here)
    remote.ask("update-ref", "-d", here)
    return tip


def _stale(found: Repository, tip: str, files: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """Those that the tip does not have like that; None for those that it must not have."""
    there = {blob.path: blob for blob in found.blobs(tip, *{_top(name) for name in files})}
    wanted: dict[str, bytes | None] = {
        path: content
        for path, content in files.items()
        if path not in there or there[path].size < 0 or there[path].oid != _oid(content, len(tip))
    }
    return wanted | {path: None for path in there if path not in files and _OURS.fullmatch(path)}


def _top(path: str) -> str:
    return path.partition("/")[0]


def _oid(content: bytes, length: int) -> str:
    """How git calls a file; 40 letters are SHA-1, as most repositories have it."""
    kind = hashlib.sha256 if length > 40 else hashlib.sha1  # noqa: PLR2004
    return kind(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _commit(found: Repository, tip: str, made: Built, stale: Mapping[str, bytes | None]) -> str:
    """A commit on top of the tip that changes these files; no working tree is touched."""
    ref = f"refs/agentevals/{os.getpid()}"
    script = b"".join(_script(found, tip, made, stale, ref))
    found.ask("fast-import", "--quiet", "--force", "--date-format=now", given=script)
    commit = found.resolve(ref)
    found.ask("update-ref", "-d", ref)
    return commit


def _script(
    found: Repository, tip: str, made: Built, stale: Mapping[str, bytes | None], ref: str
) -> Iterator[bytes]:
    message = _message(made).encode()
    yield f"feature done\ncommit {ref}\n".encode()
    yield f"committer {_identity()} now\ndata {len(message)}\n".encode() + message + b"\n"
    yield f"from {tip}\n".encode()
    for path, content in stale.items():
        where = _quoted(found.prefix + path)
        if content is None:
            yield b"D " + where + b"\n"
        else:
            yield b"M 100644 inline " + where + b"\ndata %d\n" % len(content) + content + b"\n"
    yield b"done\n"


def _message(made: Built) -> str:
    changes = list(staleness.differences(made.before, made.index))
    title = f"Publish the index: {plural(len(made.index.evaluators), 'evaluator')}"
    return "\n".join([title, "", *changes]) + "\n"


def _identity() -> str:
    name, mail = os.environ.get("GIT_COMMITTER_NAME"), os.environ.get("GIT_COMMITTER_EMAIL")
    return f"{_clean(name)} <{_clean(mail)}>" if name and mail else _PUBLISHER


def _clean(text: str) -> str:
    return re.sub(r"[<>\n\0]", "", text)


def _quoted(path: str) -> bytes:
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"' + escaped.replace(b"\n", b"\\n") + b'"'


def _pushed(remote: Repository, target: Target, commit: str) -> str:
    """What the other side complained about; nothing where it took the commit."""
    there = f"{commit}:refs/heads/{target.branch}"
    words = ("push", "--quiet", "--no-verify", "--no-follow-tags", "--end-of-options")
    done = remote.attempt(*words, target.remote, there, online=True)
    return complaint(done.stderr) if done.returncode else ""
