"""A commit status: one line under a name that a branch can require."""

from agentevals.action.job import Job
from agentevals.github import statuses
from agentevals.github.statuses import Status
from agentevals.pages import status as page
from agentevals.review import Review


class CommitStatus:
    """The same name for every run of one workflow and leg."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def missing(self) -> str | None:
        job = self._job
        if job.inputs.status == "off":
            return ""
        there = job.api and (job.occasion.head_sha or job.occasion.sha)
        return None if there else "there is no token, or no commit, to write a status for"

    def begin(self, review: Review) -> None:
        self._say(review)

    def publish(self, review: Review) -> dict[str, str]:
        self._say(review)
        return {}

    def _say(self, review: Review) -> None:
        job, at = self._job, self._job.occasion
        said = page.status(review)
        status = Status(
            state=said.state,
            context=job.name,
            description=said.description,
            target_url=at.run_url,
        )
        if job.api:
            statuses.say(job.api, at.repository, at.head_sha or at.sha or "", status)
