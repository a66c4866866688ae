"""The places that an index is published to: a branch, a folder for Pages, a pull request."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, Protocol

from agentevals import web
from agentevals.evaluator.published import strip_name
from agentevals.files.git import compute_id
from agentevals.model.errors import UnavailableError
from agentevals.text.wording import plural
from registry_tools.index import build, staleness
from registry_tools.index.branch import Branch, Files
from registry_tools.index.build import Built, Last
from registry_tools.index.serialise import FOLDER

_OURS = re.compile(
    rf"index\.(json|yaml)|head\.json(\.sig|\.sigstore\.json)?|({FOLDER}|index(/tree|/heads)?)/[^/]+\.json"
)
_NO_SUCH_FILE, _OK = 404, 200


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
        last = build.read_last(self._source.found, self.state) if self.state else Last()
        return last if last.has_head else build.read_last(self._source.found, tip)

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
        last = build.read_fetched(fetch) if self.state or self.address else Last()
        return last if last.has_head else build.read_last(self.source.found, tip)

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
        leftovers = staleness.find_leftovers(self.folder, files)
        differing = staleness.find_differing({**paths, **leftovers})
        names = {path: path.relative_to(self.folder).as_posix() for path in differing}
        return {name: files.get(name) for name in names.values()}

    def write(self, made: Built, stale: Files) -> Written:  # noqa: ARG002 -- a seam has one signature
        staleness.write({self.folder / name: content for name, content in stale.items()})
        self.state = "written"
        return Written()


def write_message(made: Built) -> str:
    """Return the message of a commit that publishes an index."""
    changes = list(staleness.describe_differences(made.before, made.index))
    title = f"Publish the index: {plural(len(made.index.evaluators), 'evaluator')}"
    return "\n".join([title, "", *changes]) + "\n"
