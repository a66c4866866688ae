"""The places that an index is published to: a branch, a folder for Pages, a pull request.

Others push at the same time. So the index is built from the tip of the branch, never from the
commit that started a job, and written to a place: that branch, or another one. When somebody was
faster it is built anew. It is done when what lies there is what the tip compiles to: the last look
at the place is the proof.
"""

import random
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, Protocol

from agentevals import web
from agentevals.evaluator.published_index import strip_name
from agentevals.evaluator.registry_head import HEAD, parse_head
from agentevals.files.git_process import compute_id
from agentevals.model.errors import UnavailableError
from agentevals.text.wording import plural
from registry_tools.index import index_build, index_staleness
from registry_tools.index.index_branch import Branch, Files
from registry_tools.index.index_build import Built, Last
from registry_tools.index.index_serialise import FOLDER
from registry_tools.index.index_signing import Signer

_OURS = re.compile(
    rf"index\.(json|yaml)|head\.json(\.sig|\.sigstore\.json)?|({FOLDER}|index(/tree|/heads)?)/[^/]+\.json"
)
_NO_SUCH_FILE, _OK = 404, 200
_ATTEMPTS = 20
_MOST_NAMED = 20
_UNMOVED = 3  # refusals while nobody else has pushed: waiting longer changes nothing
_PAUSE = 0.2  # seconds, more with every attempt, so that publishers get out of step


class Written(NamedTuple):
    """The end of an attempt: why it was refused, or what others have to do now."""

    complaint: str = ""
    note: str = ""


class Place(Protocol):
    """A place of an index. `state` differs whenever somebody else has changed the place."""

    state: str

    def read(self, tip: str) -> Last:
        """Return the index that is published there; at first that of the source's tip."""
        ...

    def find_stale(self, files: Mapping[str, bytes]) -> Files:
        """Return the files that differ there, after `read`; None for files to remove."""
        ...

    def write(self, made: Built, stale: Files) -> Written:
        """Publish files that differ."""
        ...


class BranchPlace:
    """A branch: the one that is compiled, or one for the index alone."""

    def __init__(self, source: Branch, branch: Branch) -> None:
        self.state = ""
        self._source, self._branch = source, branch

    def __str__(self) -> str:
        return str(self._branch)

    def read(self, tip: str) -> Last:
        is_source = self._branch == self._source
        self.state = tip if is_source else self._branch.fetch_if_there()
        last = index_build.read_last(self._source.found, self.state) if self.state else Last()
        return last if last.has_head else index_build.read_last(self._source.found, tip)

    def find_stale(self, files: Mapping[str, bytes]) -> Files:
        tops = {name.partition("/")[0] for name in files}
        found = self._source.found
        blobs = found.list_blobs(self.state, *tops) if self.state else []
        there = {blob.path: blob for blob in blobs}
        wanted: dict[str, bytes | None] = {
            path: content
            for path, content in files.items()
            if path not in there
            or there[path].size < 0
            or there[path].oid != compute_id(BytesIO(content), len(content), self.state)
        }
        return wanted | {
            path: None for path in there if path not in files and _OURS.fullmatch(path)
        }

    def write(self, made: Built, stale: Files) -> Written:
        commit = self._branch.commit(self.state, write_message(made), stale)
        return Written(self._branch.push(commit))


@dataclass
class FolderPlace:
    """A folder that another step hands on, such as to Pages. `address` is what it becomes.

    The index before is read from there: without it the chain of heads would begin anew. Once it
    is written, the folder is the place: a second signature of the same head would differ.
    """

    source: Branch
    folder: Path
    address: str = ""
    state: str = ""

    def __str__(self) -> str:
        return str(self.folder)

    def read(self, tip: str) -> Last:
        fetch = self._read if self.state else self._fetch
        last = index_build.read_fetched(fetch) if self.state or self.address else Last()
        return last if last.has_head else index_build.read_last(self.source.found, tip)

    def _read(self, name: str, /, digest: str = "") -> bytes | None:  # noqa: ARG002 -- a seam
        path = self.folder / name
        return path.read_bytes() if path.is_file() else None

    def _fetch(self, name: str, /, digest: str = "") -> bytes | None:  # noqa: ARG002 -- a seam
        url = f"{strip_name(self.address)}{name}"
        terms = web.Terms(max_bytes=64 << 20, redirects=5)
        response = web.get(url, headers={"accept": "*/*"}, timeout=60, terms=terms)
        if response.status not in {_OK, _NO_SUCH_FILE}:
            msg = f"{url}: answered {response.status}; the index before must be known, so try again"
            raise UnavailableError(msg)
        return response.body if response.status == _OK else None

    def find_stale(self, files: Mapping[str, bytes]) -> Files:
        paths = {self.folder / name: content for name, content in files.items()}
        leftovers = index_staleness.find_leftovers(self.folder, files)
        differing = index_staleness.find_differing({**paths, **leftovers})
        names = {path: path.relative_to(self.folder).as_posix() for path in differing}
        return {name: files.get(name) for name in names.values()}

    def write(self, made: Built, stale: Files) -> Written:  # noqa: ARG002 -- a seam has one signature
        index_staleness.write({self.folder / name: content for name, content in stale.items()})
        self.state = "written"
        return Written()


def write_message(made: Built) -> str:
    """Return the message of a commit that publishes an index."""
    changes = list(index_staleness.describe_differences(made.before, made.index))
    title = f"Publish the index: {plural(len(made.index.evaluators), 'evaluator')}"
    return "\n".join([title, "", *changes]) + "\n"


@dataclass(frozen=True)
class Guard:
    """The limits of shrinking: a share of the entries before, and a floor."""

    share: float = 0.95
    floor: int = 1
    may_shrink: bool = False


@dataclass(frozen=True)
class Published:
    """The index of the branch now. `refused` holds the reasons why nothing was published.

    `note` says what remains to be done by others.
    """

    built: Built
    commit: str
    pushed: int = 0
    refused: tuple[str, ...] = ()
    changes: tuple[str, ...] = field(default=())
    note: str = ""

    @property
    def sequence(self) -> int:
        """The number of indexes so far."""
        found = parse_head(self.built.files[HEAD])
        return found.sequence if found else 0


def publish(
    source: Branch,
    place: Place,
    limits: Guard,
    *,
    dry_run: bool = False,
    signer: Signer | None = None,
) -> Published:
    """Write until the place has the index of the branch's own tip, or a guard forbids it."""
    pushed, unmoved, before, written = 0, 0, "", Written()
    for attempt in range(_ATTEMPTS):
        tip = source.fetch()
        last = place.read(tip)
        made = index_build.build_commit(source.found, tip, last, thorough=True, signer=signer)
        stale = place.find_stale(made.files)
        refused = tuple(find_objections(made, limits)) if stale else ()
        changes = (
            tuple(index_staleness.describe_differences(made.before, made.index)) if stale else ()
        )
        if not stale or refused or dry_run or written.note:
            return Published(made, tip, pushed, refused, changes, written.note)
        unmoved = unmoved + 1 if place.state == before else 0
        if unmoved >= _UNMOVED:
            break
        before, written = place.state, place.write(made, stale)
        pushed += not written.complaint
        if written.complaint:
            time.sleep(_PAUSE * random.random() * (attempt + 1))  # noqa: S311 -- no secret
    msg = f"{place}: it cannot be published: {written.complaint or 'others push without pause'}"
    raise UnavailableError(msg)


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
