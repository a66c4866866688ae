"""Publish an index while others push at the same time.

It is built from the tip of the branch, never from the commit that started a job, and pushed on
top of it. When somebody was faster it is built anew. It is done when what the branch says is what
its own tip compiles to: the last look at the remote is the proof.
"""

import os
import random
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO

from agentevals.evaluator.heads import HEAD, parse_head
from agentevals.files.git import complaint, compute_id
from agentevals.model.errors import UnavailableError
from agentevals.text.wording import plural
from registry_tools.index import build, staleness
from registry_tools.index.build import Built
from registry_tools.index.repository import Repository, add_token
from registry_tools.index.serialise import FOLDER
from registry_tools.index.signing import Signer

_ATTEMPTS = 20
_MOST_NAMED = 20
_UNMOVED = 3  # refusals while nobody else has pushed: waiting longer changes nothing
_PAUSE = 0.2  # seconds, more with every attempt, so that publishers get out of step
_PUBLISHER = "agentevals registry <agentevals-registry@users.noreply.github.com>"
_OURS = re.compile(
    rf"index\.(json|yaml)|head\.json(\.sig|\.sigstore\.json)?|({FOLDER}|index(/tree|/heads)?)/[^/]+\.json"
)


@dataclass(frozen=True)
class Guard:
    """The limits of shrinking: a share of the entries before, and a floor."""

    share: float = 0.95
    floor: int = 1
    may_shrink: bool = False


@dataclass(frozen=True)
class Target:
    """The remote and branch that an index is pushed to."""

    remote: str = "origin"
    branch: str = "main"

    def __str__(self) -> str:
        return f"{self.remote}/{self.branch}"


@dataclass(frozen=True)
class Published:
    """The index of the branch now. `refused` holds the reasons why nothing was published."""

    built: Built
    commit: str
    pushed: int = 0
    refused: tuple[str, ...] = ()
    changes: tuple[str, ...] = field(default=())

    @property
    def sequence(self) -> int:
        """The number of indexes so far."""
        found = parse_head(self.built.files[HEAD])
        return found.sequence if found else 0


def publish(
    found: Repository,
    target: Target,
    limits: Guard,
    *,
    dry_run: bool = False,
    signer: Signer | None = None,
) -> Published:
    """Push until the branch has the index of its own tip, or a guard forbids it."""
    remote = add_token(found, target.remote)
    pushed, unmoved, before, complaints = 0, 0, "", ""
    for attempt in range(_ATTEMPTS):
        tip = _fetch_tip(remote, target)
        made = build.build_commit(found, tip, thorough=True, signer=signer)
        stale = _find_stale(found, tip, made.files)
        refused = tuple(find_objections(made, limits)) if stale else ()
        changes = tuple(staleness.describe_differences(made.before, made.index)) if stale else ()
        if not stale or refused or dry_run:
            return Published(made, tip, pushed, refused, changes)
        unmoved = unmoved + 1 if tip == before else 0
        if unmoved >= _UNMOVED:
            break
        before = tip
        complaints = _push(remote, target, _commit(found, tip, made, stale))
        pushed += not complaints
        if complaints:
            time.sleep(_PAUSE * random.random() * (attempt + 1))  # noqa: S311 -- no secret
    msg = f"{target}: it cannot be pushed: {complaints or 'others push without pause'}"
    raise UnavailableError(msg)


def _fetch_tip(remote: Repository, target: Target) -> str:
    """Fetch the tip of the branch with its history."""
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


def _find_stale(found: Repository, tip: str, files: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """Return the files that differ from the tip; None for files to remove."""
    there = {
        blob.path: blob
        for blob in found.list_blobs(tip, *{name.partition("/")[0] for name in files})
    }
    wanted: dict[str, bytes | None] = {
        path: content
        for path, content in files.items()
        if path not in there
        or there[path].size < 0
        or there[path].oid != compute_id(BytesIO(content), len(content), tip)
    }
    return wanted | {path: None for path in there if path not in files and _OURS.fullmatch(path)}


def _commit(found: Repository, tip: str, made: Built, stale: Mapping[str, bytes | None]) -> str:
    """Commit these files on top of the tip, without a working tree."""
    ref = f"refs/agentevals/{os.getpid()}"
    script = b"".join(_write_script(found, tip, made, stale, ref))
    found.ask("fast-import", "--quiet", "--force", "--date-format=now", given=script)
    commit = found.resolve(ref)
    found.ask("update-ref", "-d", ref)
    return commit


def _write_script(
    found: Repository, tip: str, made: Built, stale: Mapping[str, bytes | None], ref: str
) -> Iterator[bytes]:
    message = _write_message(made).encode()
    yield f"feature done\ncommit {ref}\n".encode()
    yield f"committer {_find_identity()} now\ndata {len(message)}\n".encode() + message + b"\n"
    yield f"from {tip}\n".encode()
    for path, content in stale.items():
        where = _quote(found.prefix + path)
        if content is None:
            yield b"D " + where + b"\n"
        else:
            yield b"M 100644 inline " + where + b"\ndata %d\n" % len(content) + content + b"\n"
    yield b"done\n"


def _write_message(made: Built) -> str:
    changes = list(staleness.describe_differences(made.before, made.index))
    title = f"Publish the index: {plural(len(made.index.evaluators), 'evaluator')}"
    return "\n".join([title, "", *changes]) + "\n"


def _find_identity() -> str:
    name, mail = os.environ.get("GIT_COMMITTER_NAME"), os.environ.get("GIT_COMMITTER_EMAIL")
    return f"{_clean(name)} <{_clean(mail)}>" if name and mail else _PUBLISHER


def _clean(text: str) -> str:
    return re.sub(r"[<>\n\0]", "", text)


def _quote(path: str) -> bytes:
    escaped = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"' + escaped.replace(b"\n", b"\\n") + b'"'


def _push(remote: Repository, target: Target, commit: str) -> str:
    """Push a commit, and return the complaint of the remote, or nothing."""
    there = f"{commit}:refs/heads/{target.branch}"
    words = ("push", "--quiet", "--no-verify", "--no-follow-tags", "--end-of-options")
    done = remote.attempt(*words, target.remote, there, online=True)
    return complaint(done.stderr) if done.returncode else ""


def find_objections(made: Built, limits: Guard) -> Iterator[str]:
    """Return the reasons why an index is not published."""
    if made.lacks_signature:
        signer = "say who signs it: --sign-key or --keyless"
        yield f"the index before is signed, and this one would not be; {signer}"
    if limits.may_shrink:
        return
    yield from _find_vanished(made)
    old, new = len(made.before.evaluators), len(made.index.evaluators)
    if new < min(limits.share * old, old - 1):
        fewer = f"{plural(new, 'evaluator')} would be listed, {old:,} are"
        yield f"{fewer}; at least {limits.share:.0%} must stay, or say --allow-shrink"
    elif new < limits.floor:
        yield f"{plural(new, 'evaluator')} would be listed, at least {limits.floor:,} must be"


def _find_vanished(made: Built) -> Iterator[str]:
    """Name entries that would vanish without a tombstone."""
    listed = {entry.name for entry in made.index.evaluators}
    why = {finding.entry: finding.message for finding in made.findings}
    gone = [
        entry.name
        for entry in made.before.evaluators
        if entry.name not in listed and entry.name not in made.index.removed
    ]
    for name in gone[:_MOST_NAMED]:
        said = why.get(name, "").removeprefix("not listed: ")
        yield f"{name} would vanish without a tombstone: {said or 'nobody knows why'}"
    if len(gone) > _MOST_NAMED:
        yield f"{plural(len(gone) - _MOST_NAMED, 'more evaluator')} would vanish"
