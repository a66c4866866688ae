"""The summary of the job: the comment with room for everything."""

from collections.abc import Mapping

from agentevals.action.job import Job
from agentevals.github.runner import step_outputs
from agentevals.model.review import Review
from agentevals.report.pages import summary_page as page
from agentevals.report.pages.page_shortening import SUMMARY

_LIMITS = (SUMMARY, SUMMARY // 2, SUMMARY // 16)  # where something is in the file already


class JobSummary:
    """The summary of the job, in a file of the runner. It needs no permission."""

    obstacle = ""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._written = False
        self.wanted = job.inputs.summary == "on" and bool(job.environ.get("GITHUB_STEP_SUMMARY"))

    def begin(self, review: Review) -> None:
        """Do nothing: GitHub shows the summary after the job."""

    def publish(self, review: Review) -> Mapping[str, str]:
        self._written = True
        pages = (page.render(review, limit) for limit in _LIMITS)
        for note in step_outputs.append_summary(self._job.environ, pages):
            self._job.log.warning(f"summary: {note}")
        return {}

    def close(self, review: Review) -> None:
        """Write it if the run was cancelled before that."""
        if not self._written:
            self.publish(review)
