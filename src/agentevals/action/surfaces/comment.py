"""The comment on the pull request: one, whoever writes to it and however often."""

from collections.abc import Callable

from agentevals.action.job import Job
from agentevals.github import sticky
from agentevals.github.comments import Comments
from agentevals.github.refusals import InvalidError
from agentevals.github.sticky import Mode, Published, Text
from agentevals.pages import digest
from agentevals.pages import sticky as page
from agentevals.pages.stages import COMMENT
from agentevals.review import Review

_LIMITS = (COMMENT, COMMENT // 2, COMMENT // 8)


class PullRequestComment:
    """Found again by a marker that nobody sees, and by who wrote it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._mode = Mode(job.inputs.comment)
        self._has_company = bool(job.leg)

    def missing(self) -> str | None:
        at = self._job.occasion
        if self._mode is Mode.OFF or at.event == "merge_group":
            return ""
        if at.number is None:
            return "" if at.is_base_run else "there is no pull request to comment on"
        return None if self._job.api else "there is no token to write a comment with"

    def begin(self, review: Review) -> None:
        """Only a comment that stays can say that something runs; the others are looked for."""
        if self._mode is Mode.UPDATE:
            self._said(review, shared=False)
        else:
            self._comments().own()

    def publish(self, review: Review) -> dict[str, str]:
        written = self._said(review, shared=self._has_company)
        address = written.comment.html_url if written else ""
        return {"comment-url": address} if address else {}

    def _said(self, review: Review, *, shared: bool) -> Published | None:
        """A body that GitHub finds too long after all is written again, shorter."""
        for limit in _LIMITS[:-1]:
            try:
                return self._written(review, limit, shared=shared)
            except InvalidError as error:
                self._job.log.notice(f"comment: {error}; it is written again, shorter")
        return self._written(review, _LIMITS[-1], shared=shared)

    def _written(self, review: Review, limit: int, *, shared: bool) -> Published | None:
        text = Text(
            merge=self._merge(review, limit), contains=lambda body: page.contains(body, review)
        )
        return sticky.publish(self._comments(), text, self._mode, shared=shared)

    def _merge(self, review: Review, limit: int) -> Callable[[str | None], str]:
        def merge(old: str | None) -> str:
            merged = page.merge(old, review, limit)
            if merged.superseded:
                self._job.log.notice("comment: a newer run has written it, so it stays as it is")
            own = digest.of(review)[0].writer
            parts = page.parse(old or "", review.key)
            self._has_company |= any(part.digest.writer != own for part in parts)
            return merged.body

        return merge

    def _comments(self) -> Comments:
        job = self._job
        if job.api is None or job.occasion.number is None:
            raise ValueError
        return Comments(
            api=job.api,
            repository=job.occasion.repository,
            number=job.occasion.number,
            marker=page.marker(job.key),
        )
