"""Annotations by way of the log: what is left where no check run may be written."""

from agentevals.action.job import Job
from agentevals.pages import annotations as page
from agentevals.review import Review
from agentevals.runner.commands import Annotation, Kind

_KINDS = {"failure": Kind.ERROR, "warning": Kind.WARNING, "notice": Kind.NOTICE}


class LogAnnotations:
    """The runner shows ten of a kind; the others are lines of the log."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def missing(self) -> str | None:
        return None if self._job.inputs.annotations == "on" else ""

    def begin(self, review: Review) -> None:
        """There is nothing to annotate yet."""

    def publish(self, review: Review) -> dict[str, str]:
        if self._job.shown.get("check"):
            return {}
        log = self._job.log
        for found in page.annotations(review):
            log.annotate(
                Annotation(
                    kind=_KINDS[found.level],
                    message=found.message,
                    title=found.title,
                    file=found.path,
                    line=found.line,
                )
            )
        if more := log.left_out():
            log.log(more)
        return {}
