"""Runs of workflows: which of them can be trusted as a baseline."""

from collections.abc import Iterable, Iterator
from itertools import islice

from agentevals.github.api import Api
from agentevals.github.calls import build_path
from agentevals.github.pulls import Repository
from agentevals.github.refusals import Purpose
from agentevals.model.noun import Noun

TRUSTED_EVENTS = frozenset({"push", "schedule", "workflow_dispatch", "merge_group"})
_KNOWN_ENDS = frozenset({"success", "failure"})
_MOST = 1_000  # runs that GitHub lists where it filters them
_READ = Purpose(deed="read the runs of the workflow", needs="actions: read")


class Run(Noun, frozen=True):
    """One run of a workflow."""

    id: int
    event: str = ""
    status: str | None = ""
    conclusion: str | None = None
    head_branch: str | None = None
    head_sha: str = ""
    path: str = ""
    run_number: int = 0
    html_url: str = ""
    created_at: str = ""
    repository: Repository = Repository()
    head_repository: Repository | None = None


def list_runs(
    api: Api, repository: str, workflow: str, *, branch: str, sha: str = ""
) -> Iterator[Run]:
    """Yield the runs that ended, the newest first. `workflow` is the name of its file."""
    place = build_path("repos", repository, "actions", "workflows", workflow, "runs")
    query = {"branch": branch, "status": "completed"} | ({"head_sha": sha} if sha else {})
    return islice(api.list_pages(place, Run, to=_READ, query=query, key="workflow_runs"), _MOST)


def filter_trusted(runs: Iterable[Run], branch: str) -> Iterator[Run]:
    """Yield the runs that only somebody with write access can have started.

    A fork may have a branch of the same name, so that the branch alone proves nothing.
    """
    for run in runs:
        head = run.head_repository
        own = head is not None and head.id == run.repository.id
        if (
            own
            and run.event in TRUSTED_EVENTS
            and run.head_branch == branch
            and run.conclusion in _KNOWN_ENDS
        ):
            yield run
