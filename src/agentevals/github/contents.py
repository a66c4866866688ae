"""Files as they are at a commit, without git."""

from pathlib import Path
from urllib.parse import quote

from agentevals.github.api import Api
from agentevals.github.archives import CAPS, Caps, Unpacked, untar
from agentevals.github.calls import path
from agentevals.github.refusals import NotFoundError, Purpose
from agentevals.model.noun import Noun

LARGEST_FILE = 100 * 1024 * 1024  # bytes that GitHub hands out as they are
LARGEST_TARBALL = 256 * 1024 * 1024
_READ = Purpose(deed="read files of the repository", needs="contents: read")
_COMPARE = Purpose(deed="compare two commits", needs="contents: read")


class _Commit(Noun, frozen=True):
    sha: str


class _Comparison(Noun, frozen=True):
    merge_base_commit: _Commit


def file(
    api: Api, repository: str, name: str, ref: str, *, max_bytes: int = LARGEST_FILE
) -> bytes | None:
    """A file as it is, or None where there is none."""
    place = path("repos", repository, "contents", name)
    query = {"ref": ref}
    try:
        return api.download(place, to=_READ, query=query, raw=True, max_bytes=max_bytes)
    except NotFoundError:
        return None


def merge_base(api: Api, repository: str, base: str, head: str) -> str | None:
    """Where two branches parted, or None where they have nothing in common.

    A commit of a fork is known to the repository that it was forked from, too.
    """
    place = f"{path('repos', repository, 'compare')}/{quote(f'{base}...{head}', safe='')}"
    query = {"per_page": 1, "page": 1}  # the commits between them are of no interest
    try:
        found = api.get(place, _Comparison, to=_COMPARE, query=query)
    except NotFoundError:
        return None
    return found.merge_base_commit.sha


def tree(  # noqa: PLR0913 -- what, into what, and how much of it
    api: Api,
    repository: str,
    ref: str,
    into: Path,
    *,
    caps: Caps = CAPS,
    max_bytes: int = LARGEST_TARBALL,
) -> Unpacked:
    """All files of a commit, in an empty folder. Links are left out, because they lead anywhere."""
    place = path("repos", repository, "tarball", ref)
    return untar(api.download(place, to=_READ, max_bytes=max_bytes), into, caps)
