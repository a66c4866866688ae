"""Files and merge bases of commits, from the API instead of git."""

from pathlib import Path
from urllib.parse import quote

from agentevals.github.api import Api
from agentevals.github.archives import CAPS, Caps, Unpacked, untar
from agentevals.github.calls import build_path
from agentevals.github.refusals import NotFoundError, Purpose
from agentevals.model.noun import Noun

LARGEST_TARBALL = 256 * 1024 * 1024
_READ = Purpose(deed="read files of the repository", needs="contents: read")
_COMPARE = Purpose(deed="compare two commits", needs="contents: read")


class _Commit(Noun, frozen=True):
    sha: str


class _Comparison(Noun, frozen=True):
    merge_base_commit: _Commit


def find_merge_base(api: Api, repository: str, base: str, head: str) -> str | None:
    """Return the merge base of two commits, or None if they have none.

    A commit of a fork is known to the repository that it was forked from, too.
    """
    place = f"{build_path('repos', repository, 'compare')}/{quote(f'{base}...{head}', safe='')}"
    query = {"per_page": 1, "page": 1}  # the commits between them are of no interest
    try:
        found = api.get(place, _Comparison, to=_COMPARE, query=query)
    except NotFoundError:
        return None
    return found.merge_base_commit.sha


def download_tree(  # noqa: PLR0913 -- what, into what, and how much of it
    api: Api,
    repository: str,
    ref: str,
    into: Path,
    *,
    caps: Caps = CAPS,
    max_bytes: int = LARGEST_TARBALL,
) -> Unpacked:
    """Unpack all files of a commit into an empty folder. Links are skipped: they lead anywhere."""
    place = build_path("repos", repository, "tarball", ref)
    return untar(api.download(place, to=_READ, max_bytes=max_bytes), into, caps)
