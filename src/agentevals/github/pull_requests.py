"""Pull requests, found by number, commit or branch, with their changes, merge bases and files."""

from pathlib import Path
from urllib.parse import quote

from agentevals.github.api import Api
from agentevals.github.api_calls import NotFoundError, Purpose, build_path
from agentevals.github.artifact_archives import CAPS, Caps, Unpacked, untar
from agentevals.github.issue_comments import User
from agentevals.model.noun import Noun

MOST_FILES = 3_000  # that GitHub lists of one pull request
_READ = Purpose(deed="read the pull request", needs="pull-requests: read")
LARGEST_TARBALL = 256 * 1024 * 1024
_READ_FILES = Purpose(deed="read files of the repository", needs="contents: read")
_COMPARE = Purpose(deed="compare two commits", needs="contents: read")


class Repository(Noun, frozen=True):
    """The repository of a branch."""

    id: int = 0
    full_name: str = ""
    fork: bool = False


class End(Noun, frozen=True):
    """One of the two branches. The repository is None where a fork was deleted."""

    ref: str
    sha: str
    label: str | None = ""
    repo: Repository | None = None


class Pull(Noun, frozen=True):
    """One pull request. GitHub counts its files only where it was asked for by number."""

    number: int
    head: End
    base: End
    user: User | None = None
    state: str = "open"
    draft: bool | None = False
    locked: bool = False
    title: str = ""
    html_url: str = ""
    changed_files: int | None = None

    @property
    def is_from_fork(self) -> bool:
        """Return whether it comes from another repository, or from one that is gone."""
        head, base = self.head.repo, self.base.repo
        return head is None or base is None or head.id != base.id


class File(Noun, frozen=True):
    """One changed file. `status` is `added`, `modified`, `removed`, `renamed` and so on."""

    filename: str
    status: str = ""
    previous_filename: str | None = None


class Files(Noun, frozen=True):
    """The changed files of a pull request; `complete` unless GitHub lists fewer than there are."""

    files: tuple[File, ...] = ()
    complete: bool = True

    @property
    def paths(self) -> tuple[str, ...]:
        """The names after the change and, where a file was renamed, the one before it."""
        names = ((file.filename, file.previous_filename) for file in self.files)
        return tuple(name for both in names for name in both if name)


def get(api: Api, repository: str, number: int) -> Pull:
    """Return the pull request of that number."""
    return api.get(build_path("repos", repository, "pulls", number), Pull, to=_READ)


def list_files(api: Api, repository: str, pull: Pull) -> Files:
    """Return the changed files, as far as GitHub lists them."""
    place = build_path("repos", repository, "pulls", pull.number, "files")
    found = tuple(api.list_pages(place, File, to=_READ))
    count = pull.changed_files
    complete = len(found) < MOST_FILES if count is None else len(found) >= count
    return Files(files=found, complete=complete)


def list_by_commit(api: Api, repository: str, sha: str) -> list[Pull]:
    """Return the pull requests with that commit, the open ones first."""
    place = build_path("repos", repository, "commits", sha, "pulls")
    found = api.list_pages(place, Pull, to=_READ)
    return sorted(found, key=lambda pull: (pull.state != "open", -pull.number))


def list_by_branch(api: Api, repository: str, owner: str, branch: str) -> list[Pull]:
    """Return the open pull requests from a branch of a repository, the newest first."""
    query = {"head": f"{owner}:{branch}", "state": "open"}
    found = api.list_pages(build_path("repos", repository, "pulls"), Pull, to=_READ, query=query)
    # GitHub ignores a filter that it cannot make sense of
    ours = [pull for pull in found if pull.head.label == query["head"]]
    return sorted(ours, key=lambda pull: -pull.number)


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
    return untar(api.download(place, to=_READ_FILES, max_bytes=max_bytes), into, caps)
