"""The summary of the job: the comment with room for everything."""

from agentevals.action.job import Job
from agentevals.pages import summary as page
from agentevals.pages.stages import SUMMARY
from agentevals.review import Review
from agentevals.runner import outputs


class JobSummary:
    """A file that the runner gives; it takes no permission."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def missing(self) -> str | None:
        wanted = self._job.inputs.summary == "on" and "GITHUB_STEP_SUMMARY" in self._job.environ
        return None if wanted else ""

    def begin(self, review: Review) -> None:
        """Nobody reads the summary of a job that still runs."""

    def publish(self, review: Review) -> dict[str, str]:
        pages = [page.render(review, limit) for limit in (SUMMARY, SUMMARY // 2, SUMMARY // 16)]
        for note in outputs.append_summary(self._job.environ, pages):
            self._job.log.warning(f"summary: {note}")
        return {}
