"""One comment that stays, however many jobs write in it at the same time."""

import logging
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from agentevals.github.calls import Again
from agentevals.github.comments import Comment, Comments
from agentevals.github.refusals import LostAnswerError, NotFoundError
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

log = logging.getLogger(__name__)

_ATTEMPTS = 8
_SPREAD = 0.2  # of the time after which a comment has settled

Merge = Callable[[str | None], str]
Test = Callable[[str], bool]


class Mode(StrEnum):
    """What becomes of the comment that is there already."""

    UPDATE = "update"
    RECREATE = "recreate"
    NEW = "new"
    HIDE = "hide"
    OFF = "off"


class Published(Noun, frozen=True):
    """The comment that now says it, and whether anything had to be written for that."""

    comment: Comment
    changed: bool = True


@dataclass(frozen=True, kw_only=True)
class Text:
    """What is to be said, given what the comment says now, and how to tell that it is said.

    `merge` may be called several times; it must not do anything else. A comment is `current`
    where this run has begun it, be it by another of its jobs.
    """

    merge: Merge
    contains: Test
    is_current: Test


def publish(
    comments: Comments, text: Text, mode: Mode = Mode.UPDATE, *, shared: bool = True
) -> Published | None:
    """Say it; None where it is not to be said. `shared` is whether other jobs write here too."""
    if mode is Mode.OFF:
        return None
    shared = shared and not comments.api.rehearses
    if mode is Mode.UPDATE:
        return _converged(comments, text, comments.own, shared=shared)
    return _renewed(comments, text, mode, shared=shared)


def _renewed(comments: Comments, text: Text, mode: Mode, *, shared: bool) -> Published:
    """The new one comes first: what goes wrong after that leaves one too many, and never none."""

    def current() -> list[Comment]:
        return [comment for comment in comments.own() if text.is_current(comment.text)]

    old = [comment for comment in comments.own() if not text.is_current(comment.text)]
    for comment in old:
        if text.contains(comment.text):  # a newer run was faster
            return Published(comment=comment, changed=False)
    start = old[-1].text if old and mode is Mode.RECREATE else None
    published = _converged(comments, text, current, start, shared=shared)
    if mode is not Mode.NEW:
        _tidy(comments.remove if mode is Mode.RECREATE else comments.hide, old)
    return published


def _converged(
    comments: Comments,
    text: Text,
    listed: Callable[[], list[Comment]],
    start: str | None = None,
    *,
    shared: bool,
) -> Published:
    """Several jobs, one comment, and no way to lock it: write, wait until it settled, look again.

    Whoever finds no comment posts one, and the oldest is the comment. Who posted a younger one
    writes into the oldest as well, and removes its own once its text is seen there.
    """
    own = listed()
    left_over = {comment.id for comment in own}
    for attempt in range(_ATTEMPTS):
        try:
            written = _written(comments, text, own, start)
        except (LostAnswerError, NotFoundError) as error:
            log.info("the comment is looked at again: %s", error)
            written = None
        else:
            if written is None:
                return _done(comments, text, own, left_over, changed=attempt > 0)
            if not shared:
                return _done(comments, text, [written, *own[1:]], left_over, changed=True)
        if shared:
            settling = comments.api.pace.patience.settling
            spread = random.uniform(0.0, 1.0 + attempt)  # noqa: S311 -- so that not all try at once
            comments.api.clock.sleep(settling + settling * _SPREAD * spread)
        own = listed()
        if written and own and text.contains(own[0].text):
            return _done(comments, text, own, left_over, changed=True)
    raise _contested()


def _written(
    comments: Comments, text: Text, own: list[Comment], start: str | None
) -> Comment | None:
    """The comment as it is now, or None where it said so before.

    Nothing is waited for between the reading and the writing: that is when others lose.
    """
    if not own:
        return comments.post(text.merge(start))
    comments.api.ready_to_write()
    now = comments.read(own[0]).text
    body = text.merge(now)
    return None if body == now else comments.edit(own[0], body, Again.NEVER)


def _done(
    comments: Comments, text: Text, own: list[Comment], left_over: set[int], *, changed: bool
) -> Published:
    """Duplicates go that were there before us, and those that say what we have to say.

    Others are of jobs that have just begun, and remove them themselves.
    """
    done = (c for c in own[1:] if c.id in left_over or text.contains(c.text))
    _tidy(comments.remove, done)
    return Published(comment=own[0], changed=changed)


def _tidy(deed: Callable[[Comment], None], comments: Iterable[Comment]) -> None:
    """What goes wrong here leaves a comment too many, and the one that matters is written."""
    for comment in comments:
        try:
            deed(comment)
        except UnavailableError as error:
            log.warning("an older comment stays as it is: %s", error)


def _contested() -> UnavailableError:
    msg = "the comment on the pull request could not be written: others changed it each time, or "
    return UnavailableError(msg + "the answers were lost; run the job again")
