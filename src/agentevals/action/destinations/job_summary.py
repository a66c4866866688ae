"""The summary of the job: the comment with room for everything."""

from collections.abc import Mapping

from agentevals.action.job import Job
from agentevals.github.runner import outputs
from agentevals.model.review import Review
from agentevals.report.pages import summary as page
from agentevals.report.pages.stages import SUMMARY

_LIMITS = (SUMMARY, SUMMARY // 2, SUMMARY // 16)  # where something is in the file already


class JobSummary:
    """A file that the runner gives; it takes no permission."""

    obstacle = ""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.wanted = job.inputs.summary == "on" and bool(job.environ.get("GITHUB_STEP_SUMMARY"))

    def begin(self, review: Review) -> None:
        """Nobody reads the summary of a job that still runs."""

    def publish(self, review: Review) -> Mapping[str, str]:
        pages = [page.render(review, limit) for limit in _LIMITS]
        for note in outputs.append_summary(self._job.environ, pages):
            self._job.log.warning(f"summary: {note}")
        return {}

    def close(self, review: Review) -> None:
        """The summary has never said that something runs."""
