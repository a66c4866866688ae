"""Pull requests, found by number, by commit or by branch, and what they change."""

from agentevals.github.api import Api
from agentevals.github.calls import path
from agentevals.github.refusals import Purpose
from agentevals.model.noun import Noun

MOST_FILES = 3_000  # that GitHub lists of one pull request
_READ = Purpose(deed="read the pull request", needs="pull-requests: read")


class Repository(Noun, frozen=True):
    """Where a branch lies."""

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
    state: str = "open"
    draft: bool | None = False
    locked: bool = False
    title: str = ""
    html_url: str = ""
    changed_files: int | None = None

    @property
    def foreign(self) -> bool:
        """Whether it comes from another repository, or from one that is gone."""
        head, base = self.head.repo, self.base.repo
        return head is None or base is None or head.id != base.id


class File(Noun, frozen=True):
    """One changed file. `status` is `added`, `modified`, `removed`, `renamed` and so on."""

    filename: str
    status: str = ""
    previous_filename: str | None = None


class Files(Noun, frozen=True):
    """What a pull request changes; not `complete` where it is more than GitHub lists."""

    files: tuple[File, ...] = ()
    complete: bool = True

    @property
    def paths(self) -> tuple[str, ...]:
        """The names after the change and, where a file was renamed, the one before it."""
        names = ((file.filename, file.previous_filename) for file in self.files)
        return tuple(name for both in names for name in both if name)


def get(api: Api, repository: str, number: int) -> Pull:
    """The pull request of that number."""
    return api.get(path("repos", repository, "pulls", number), Pull, to=_READ)


def files(api: Api, repository: str, pull: Pull) -> Files:
    """All that it changes, as far as GitHub lists it."""
    place = path("repos", repository, "pulls", pull.number, "files")
    found = tuple(api.pages(place, File, to=_READ))
    count = pull.changed_files
    complete = len(found) < MOST_FILES if count is None else len(found) >= count
    return Files(files=found, complete=complete)


def of_commit(api: Api, repository: str, sha: str) -> list[Pull]:
    """Pull requests with that commit, the open ones first."""
    place = path("repos", repository, "commits", sha, "pulls")
    found = api.pages(place, Pull, to=_READ)
    return sorted(found, key=lambda pull: (pull.state != "open", -pull.number))


def of_branch(api: Api, repository: str, owner: str, branch: str) -> list[Pull]:
    """Open pull requests from a branch of somebody's repository, the newest first."""
    query = {"head": f"{owner}:{branch}", "state": "open"}
    found = api.pages(path("repos", repository, "pulls"), Pull, to=_READ, query=query)
    # GitHub ignores a filter that it cannot make sense of
    ours = [pull for pull in found if pull.head.label == query["head"]]
    return sorted(ours, key=lambda pull: -pull.number)
