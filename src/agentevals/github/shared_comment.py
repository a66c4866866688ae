"""One comment that several jobs may write to at the same time."""

import logging
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from agentevals.github.calls import Again, LostAnswerError, NotFoundError
from agentevals.github.comments import Comment, Comments
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

log = logging.getLogger(__name__)

_ATTEMPTS = 8
_SPREAD = 0.2  # of the time after which a comment has settled

Merge = Callable[[str | None], str]
Test = Callable[[str], bool]


class Mode(StrEnum):
    """The ways to treat an existing comment."""

    UPDATE = "update"
    RECREATE = "recreate"
    NEW = "new"
    HIDE = "hide"
    OFF = "off"


class Published(Noun, frozen=True):
    """The comment that holds the text, and whether it had to be changed for that."""

    comment: Comment
    changed: bool = True


@dataclass(frozen=True, kw_only=True)
class Text:
    """The text to write, given the comment's present text, and tests of a comment's text.

    `merge` may be called several times; it must not do anything else. A comment `is_current`
    if this run has begun it, in this job or in another one.
    """

    merge: Merge
    contains: Test
    is_current: Test


def publish(
    comments: Comments, text: Text, mode: Mode = Mode.UPDATE, *, shared: bool = True
) -> Published | None:
    """Write the text, unless the mode is off. `shared` tells that other jobs write here too."""
    if mode is Mode.OFF:
        return None
    shared = shared and not comments.api.is_dry_run
    if mode is Mode.UPDATE:
        return _converge(comments, text, comments.list_own, shared=shared)
    return _renew(comments, text, mode, shared=shared)


def _renew(comments: Comments, text: Text, mode: Mode, *, shared: bool) -> Published:
    """Write the new comment first: a failure after that leaves one too many, and never none."""

    def list_current() -> list[Comment]:
        return [comment for comment in comments.list_own() if text.is_current(comment.text)]

    old = [comment for comment in comments.list_own() if not text.is_current(comment.text)]
    for comment in old:
        if text.contains(comment.text):  # a newer run was faster
            return Published(comment=comment, changed=False)
    start = old[-1].text if old and mode is Mode.RECREATE else None
    published = _converge(comments, text, list_current, start, shared=shared)
    if mode is not Mode.NEW:
        _tidy(comments.remove if mode is Mode.RECREATE else comments.hide, old)
    return published


def _converge(
    comments: Comments,
    text: Text,
    listed: Callable[[], list[Comment]],
    start: str | None = None,
    *,
    shared: bool,
) -> Published:
    """Write, wait until the comment settled, and look again, because nothing can lock a comment.

    Whoever finds no comment posts one, and the oldest is the comment. Who posted a younger one
    writes into the oldest as well, and removes its own once its text is seen there.
    """
    own = listed()
    left_over = {comment.id for comment in own}
    for attempt in range(_ATTEMPTS):
        try:
            written = _write(comments, text, own, start)
        except (LostAnswerError, NotFoundError) as error:
            log.info("the comment is looked at again: %s", error)
            written = None
        else:
            if written is None:
                return _finish(comments, text, own, left_over, changed=attempt > 0)
            if not shared:
                return _finish(comments, text, [written, *own[1:]], left_over, changed=True)
        if shared:
            settling = comments.api.pace.policy.settling
            spread = random.uniform(0.0, 1.0 + attempt)  # noqa: S311 -- so that not all try at once
            comments.api.clock.sleep(settling + settling * _SPREAD * spread)
        own = listed()
        if written and own and text.contains(own[0].text):
            return _finish(comments, text, own, left_over, changed=True)
    raise _make_contested_error()


def _write(comments: Comments, text: Text, own: list[Comment], start: str | None) -> Comment | None:
    """Return the written comment, or None if it had the text before.

    There is no pause between the read and the write: others could lose their text then.
    """
    if not own:
        return comments.post(text.merge(start))
    comments.api.ready_to_write()
    now = comments.read(own[0]).text
    body = text.merge(now)
    return None if body == now else comments.edit(own[0], body, Again.NEVER)


def _finish(
    comments: Comments, text: Text, own: list[Comment], left_over: set[int], *, changed: bool
) -> Published:
    """Remove the duplicates that existed before us, and those that hold our text.

    Others are of jobs that have just begun, and remove them themselves.
    """
    done = (c for c in own[1:] if c.id in left_over or text.contains(c.text))
    _tidy(comments.remove, done)
    return Published(comment=own[0], changed=changed)


def _tidy(deed: Callable[[Comment], None], comments: Iterable[Comment]) -> None:
    """Remove or hide comments. A failure leaves a comment too many, which is no error."""
    for comment in comments:
        try:
            deed(comment)
        except UnavailableError as error:
            log.warning("an older comment stays as it is: %s", error)


def _make_contested_error() -> UnavailableError:
    msg = "the comment on the pull request could not be written: others changed it each time, or "
    return UnavailableError(msg + "the answers were lost; run the job again")
