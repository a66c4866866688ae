"""Destinations of a review. To add one: write a class like `Destination`, then list it here.

A destination that the token may not write to is skipped with a message, and the next one is tried.
None of them decides anything: the verdict is settled before.
"""

from collections.abc import Mapping
from typing import Protocol

from agentevals.action.job import Job
from agentevals.model.plugins import Table
from agentevals.model.review import Review


class Destination(Protocol):
    """One destination of one job. An error in it only affects this destination."""

    def __init__(self, job: Job) -> None: ...

    @property
    def wanted(self) -> bool:
        """Return whether the inputs ask for it, and the event has such a destination."""
        ...

    @property
    def obstacle(self) -> str:
        """The reason why it cannot be written to, or an empty text."""
        ...

    def begin(self, review: Review) -> None:
        """Show that the evaluation runs. A missing permission is found before a judge is paid."""
        ...

    def publish(self, review: Review) -> Mapping[str, str]:
        """Show the result. Return outputs of the step."""
        ...

    def close(self, review: Review) -> None:
        """Show the end if it still shows a running evaluation: the run was cancelled."""
        ...


DESTINATIONS: Table[type[Destination]] = Table(
    "destination",
    {
        # first: the others name the artifact that it makes
        "files": "agentevals.action.destinations.report_files:ReportFiles",
        "comment": "agentevals.action.destinations.pull_request_comment:PullRequestComment",
        "check": "agentevals.action.destinations.check_run:CheckRun",
        "status": "agentevals.action.destinations.commit_status:CommitStatus",
        "summary": "agentevals.action.destinations.job_summary:JobSummary",
        "annotations": "agentevals.action.destinations.log_annotations:LogAnnotations",
    },
)

# annotations of a check run need no annotations by way of the log
REPLACED_BY = {"annotations": "check"}
