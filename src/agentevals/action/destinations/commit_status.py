"""A commit status: one line under a name that a branch can require."""

from collections.abc import Mapping

from agentevals.action.job import Job
from agentevals.github import check_runs
from agentevals.github.check_runs import Status
from agentevals.model.review import Review
from agentevals.report.pages import check_run_page


class CommitStatus:
    """A commit status with one name for all runs of a workflow's matrix job."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._runs = False
        self.wanted = job.inputs.status == "on"
        there = job.api and job.commit
        self.obstacle = "" if there else "there is no token, or no commit, to write a status for"

    def begin(self, review: Review) -> None:
        self._runs = True
        self._write(review)

    def publish(self, review: Review) -> Mapping[str, str]:
        job = self._job
        if review.scene.secondhand and check_runs.is_judged(
            job.github, job.context.repository, job.commit, job.name
        ):
            job.log.notice("status: your own run has evaluated this commit, so its result stays")
            return {}
        self._write(review)
        self._runs = False
        return {}

    def close(self, review: Review) -> None:
        if self._runs:
            self._write(review)

    def _write(self, review: Review) -> None:
        job, said = self._job, check_run_page.make_status(review)
        status = Status(
            state=said.state,
            context=job.name,
            description=said.description,
            target_url=job.context.run_url,
        )
        check_runs.write_status(job.github, job.context.repository, job.commit, status)
