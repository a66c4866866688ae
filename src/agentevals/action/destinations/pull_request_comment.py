"""The comment on the pull request: one, although several jobs may write to it."""

from collections.abc import Mapping
from functools import cached_property

from agentevals.action.job import Job
from agentevals.github import issue_comments
from agentevals.github.api_calls import InvalidError
from agentevals.github.issue_comments import Comments, Mode, Published, Text
from agentevals.github.runner import step_outputs
from agentevals.model.review import Review
from agentevals.report.pages import comment_digest
from agentevals.report.pages import comment_page as page
from agentevals.report.pages.page_shortening import COMMENT

_LIMITS = (COMMENT, COMMENT // 2, COMMENT // 8)


class PullRequestComment:
    """A comment that is found again by a hidden marker and by its author."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._mode = Mode(job.inputs.comment)
        self._shared = bool(job.matrix_job)
        self._runs = False

    @property
    def wanted(self) -> bool:
        context = self._job.context
        has_place = context.event != "merge_group" and not (
            context.number is None and context.is_base_run
        )
        return self._mode is not Mode.OFF and has_place

    @property
    def obstacle(self) -> str:
        if self._job.context.number is None:
            return "there is no pull request to comment on"
        return "" if self._job.api else "there is no token to write a comment with"

    def begin(self, review: Review) -> None:
        """Show that the evaluation runs. In other modes only try whether writing is allowed."""
        if self._mode is not Mode.UPDATE:
            self._comments.try_to_write()
            return
        self._runs = True
        written = self._write(review, shared=False)
        self._shared |= written is not None and _has_others(written.comment.text, review)

    def publish(self, review: Review) -> Mapping[str, str]:
        written = self._write(review, shared=self._shared)
        self._runs = False
        if written is None:
            return {}
        if not written.changed and page.merge(written.comment.text, review).superseded:
            self._report_newer(review)
        address = written.comment.html_url
        return {"comment-url": address} if address else {}

    def close(self, review: Review) -> None:
        if self._runs:
            self._write(review, shared=self._shared)

    def close_running(self, review: Review) -> bool:
        """Show the end of an earlier run of this job if the comment shows that it runs."""
        texts = (comment.text for comment in self._comments.list_own())
        if not any(page.is_running(text, review) for text in texts):
            return False
        return self._write(review, shared=True) is not None

    def _report_newer(self, review: Review) -> None:
        self._job.log.notice("comment: a newer run has written it, so it stays as it is")
        step_outputs.append_summary(self._job.environ, [page.explain_superseded(review)])

    def _write(self, review: Review, *, shared: bool) -> Published | None:
        """Write the comment, and again with less text if GitHub finds it too long."""
        for limit in _LIMITS[:-1]:
            try:
                return self._write_once(review, limit, shared=shared)
            except InvalidError as error:
                self._job.log.notice(f"comment: {error}; it is written again, shorter")
        return self._write_once(review, _LIMITS[-1], shared=shared)

    def _write_once(self, review: Review, limit: int, *, shared: bool) -> Published | None:
        text = Text(
            merge=lambda old: page.merge(old, review, limit).body,
            contains=lambda body: page.contains(body, review),
            is_current=lambda body: page.is_current(body, review),
        )
        return issue_comments.publish(self._comments, text, self._mode, shared=shared)

    @cached_property
    def _comments(self) -> Comments:
        """The comments of the pull request, whose authors are asked for once."""
        job = self._job
        return Comments(
            api=job.github,
            repository=job.context.repository,
            number=job.context.number or 0,
            marker=page.marker(job.key),
        )


def _has_others(body: str, review: Review) -> bool:
    """Return whether other jobs write to the comment as well."""
    own = comment_digest.make_all(review)[0].writer
    return any(part.digest.writer != own for part in page.parse(body, review.key))
