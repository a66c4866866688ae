"""Annotations by way of the log, for jobs that may not write a check run."""

from collections.abc import Mapping

from agentevals.action.job import Job
from agentevals.github.runner.workflow_log import Kind, LogMessage
from agentevals.model.review import Review
from agentevals.report.pages import line_annotations as page

_KINDS = {"failure": Kind.ERROR, "warning": Kind.WARNING, "notice": Kind.NOTICE}


class LogAnnotations:
    """Annotations that the runner reads from the log. It shows ten of a kind."""

    obstacle = ""

    def __init__(self, job: Job) -> None:
        self._log = job.log
        self.wanted = job.inputs.annotations == "on"

    def begin(self, review: Review) -> None:
        """Do nothing: there is nothing to annotate yet."""

    def publish(self, review: Review) -> Mapping[str, str]:
        for found in page.annotations(review):
            self._log.annotate(
                LogMessage(
                    kind=_KINDS[found.level],
                    message=found.message,
                    title=found.title,
                    file=found.path,
                    line=found.line,
                )
            )
        if more := self._log.describe_overflow():
            self._log.log(more)
        return {}

    def close(self, review: Review) -> None:
        """Do nothing: the log never shows a running evaluation."""
