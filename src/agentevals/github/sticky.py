"""One comment that stays, however many jobs write in it at the same time."""

import logging
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from agentevals.errors import UnavailableError
from agentevals.github.calls import Again, once
from agentevals.github.comments import Comment, Comments
from agentevals.github.refusals import LostAnswerError, NotFoundError
from agentevals.model import Noun

log = logging.getLogger(__name__)

_ATTEMPTS = 8
# Longer than reading a comment and writing it takes anybody. What is still there after that
# long has been read by whoever writes next, and so it stays.
_SETTLED_AFTER = 5.0

Merge = Callable[[str | None], str]
Contains = Callable[[str], bool]


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

    `merge` may be called several times; it must not do anything else.
    """

    merge: Merge
    contains: Contains


def publish(
    comments: Comments, text: Text, mode: Mode = Mode.UPDATE, *, shared: bool = True
) -> Published | None:
    """Say it; None where it is not to be said. `shared` is whether other jobs write here too."""
    match mode:
        case Mode.OFF:
            return None
        case Mode.UPDATE:
            return _updated(comments, text, shared=shared and not comments.api.rehearses)
        case Mode.NEW:
            return Published(comment=_posted(comments, text.merge(None), comments.own()))
        case Mode.HIDE | Mode.RECREATE:
            return _replaced(comments, text, mode)


def _updated(comments: Comments, text: Text, *, shared: bool) -> Published:
    """Several jobs, one comment, and no way to lock it: write, wait until it settled, look again.

    Whoever finds no comment posts one, and the oldest is the comment. Who posted a younger one
    writes into the oldest as well, and removes its own once its text is seen there.
    """
    own = comments.own()
    left_over = {comment.id for comment in own}
    for attempt in range(_ATTEMPTS):
        try:
            written = _written(comments, text, own)
        except (LostAnswerError, NotFoundError) as error:
            log.info("the comment is looked at again: %s", error)
            written = None
        else:
            if written is None:
                return _done(comments, text, own, left_over, changed=attempt > 0)
            if not shared:
                return _done(comments, text, [written, *own[1:]], left_over, changed=True)
        if shared:
            spread = random.uniform(0.0, 1.0 + attempt)  # noqa: S311 -- so that not all try at once
            comments.api.clock.sleep(_SETTLED_AFTER + spread)
        own = comments.own()
        if written and own and text.contains(own[0].text):
            return _done(comments, text, own, left_over, changed=True)
    raise _contested()


def _written(comments: Comments, text: Text, own: list[Comment]) -> Comment | None:
    """The comment as it is now, or None where it said so before.

    Nothing is waited for between the reading and the writing: that is when others lose.
    """
    if not own:
        return comments.post(text.merge(None))
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


def _replaced(comments: Comments, text: Text, mode: Mode) -> Published:
    """The new one comes first: what goes wrong after that leaves one too many, and never none."""
    own = comments.own()
    old = own[0].text if own and mode is Mode.RECREATE else None
    written = _posted(comments, text.merge(old), own)
    _tidy(comments.remove if mode is Mode.RECREATE else comments.hide, own)
    return Published(comment=written)


def _tidy(deed: Callable[[Comment], None], comments: Iterable[Comment]) -> None:
    """What goes wrong here leaves a comment too many, and the one that matters is written."""
    for comment in comments:
        try:
            deed(comment)
        except UnavailableError as error:
            log.warning("an older comment stays as it is: %s", error)


def _posted(comments: Comments, body: str, before: list[Comment]) -> Comment:
    known = {comment.id for comment in before}

    def landed() -> Comment | None:
        new = [c for c in comments.own() if c.id not in known and _same(c.text, body)]
        return new[-1] if new else None

    return once(lambda: comments.post(body), landed)


def _same(one: str, other: str) -> bool:
    """Whether it is the same text, whatever became of its line ends on the way."""
    return one.split() == other.split()


def _contested() -> UnavailableError:
    msg = "the comment on the pull request could not be written: others changed it each time, or "
    return UnavailableError(msg + "the answers were lost; run the job again")
