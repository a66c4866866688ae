"""Where a review is shown. To add a place: write a class like `Destination`, then list it here.

They are a ladder: one that the token may not climb is left out with a word about it, and the next
still stands. None of them decides anything; the verdict is made before they see it.
"""

from collections.abc import Mapping
from typing import Protocol

from agentevals.action.job import Job
from agentevals.model.plugins import Table
from agentevals.model.review import Review


class Destination(Protocol):
    """One place, for one job. What goes wrong there is raised, and costs this place only."""

    def __init__(self, job: Job) -> None: ...

    @property
    def wanted(self) -> bool:
        """Whether the inputs ask for it, and the event is one that has such a place."""
        ...

    @property
    def obstacle(self) -> str:
        """What keeps a surface that is wanted from being there; empty when nothing does."""
        ...

    def begin(self, review: Review) -> None:
        """Say that it runs. What cannot be done is found out before anything is paid."""
        ...

    def publish(self, review: Review) -> Mapping[str, str]:
        """Say how it ended. Returns outputs of the step."""
        ...

    def close(self, review: Review) -> None:
        """Say how it ended, if this place still says that it runs: the run was cancelled."""
        ...


DESTINATIONS: Table[type[Destination]] = Table(
    "surface",
    {
        "comment": "agentevals.action.destinations.pull_request_comment:PullRequestComment",
        "check": "agentevals.action.destinations.check_run:CheckRun",
        "status": "agentevals.action.destinations.commit_status:CommitStatus",
        "summary": "agentevals.action.destinations.job_summary:JobSummary",
        "annotations": "agentevals.action.destinations.log_annotations:LogAnnotations",
        "files": "agentevals.action.destinations.report_files:ReportFiles",
    },
)

# what a check run has annotated needs no lines of the log
REPLACED_BY = {"annotations": "check"}
