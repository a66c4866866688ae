"""Comments on a pull request: which are ours, and the one that several jobs may write to."""

import logging
import random
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

import msgspec

from agentevals.github.api import Api
from agentevals.github.api_calls import (
    Again,
    InvalidError,
    LostAnswerError,
    NotFoundError,
    Purpose,
    build_path,
)
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

log = logging.getLogger(__name__)
_ATTEMPTS = 8
_SPREAD = 0.2  # of the time after which a comment has settled
Merge = Callable[[str | None], str]
Test = Callable[[str], bool]
ACTIONS = "github-actions[bot]"  # whose comments GITHUB_TOKEN writes
_AT_ONCE = 100  # nodes of one query
# whoever reads them does so to write one; with less, the next refusal would only come later
_READ = Purpose(deed="read the comments", needs="pull-requests: write")
_WRITE = Purpose(deed="write a comment", needs="pull-requests: write")
_DELETE = Purpose(deed="delete a comment", needs="pull-requests: write")
_HIDE = Purpose(deed="hide a comment", needs="pull-requests: write")
_AUTHORED = """query($ids: [ID!]!) {
  nodes(ids: $ids) { ... on IssueComment { id viewerDidAuthor isMinimized } }
}"""
_MINIMIZE = """mutation($id: ID!, $classifier: ReportedContentClassifiers!) {
  minimizeComment(input: {subjectId: $id, classifier: $classifier}) {
    minimizedComment { isMinimized }
  }
}"""


class Mode(StrEnum):
    """The ways to treat an existing comment."""

    UPDATE = "update"
    RECREATE = "recreate"
    NEW = "new"
    HIDE = "hide"
    OFF = "off"


class User(Noun, frozen=True):
    """An account. GitHub says None where it is gone."""

    login: str = ""
    type: str = ""
    id: int = 0

    @property
    def is_person(self) -> bool:
        """Return whether this is no app or bot."""
        return self.type == "User"


class Comment(Noun, frozen=True):
    """One comment."""

    id: int
    node_id: str = ""
    body: str | None = ""
    html_url: str = ""
    user: User | None = None

    @property
    def text(self) -> str:
        return self.body or ""


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


class _Node(msgspec.Struct, rename="camel"):
    id: str = ""
    viewer_did_author: bool = False
    is_minimized: bool = False


@dataclass(frozen=True, kw_only=True)
class Comments:
    """Our comments on one pull request that bear one marker.

    Ours is what begins with the marker and was written with this token: anybody can write or
    quote the marker. GraphQL knows the author. Where it does not answer, ours are those of
    `login`, which nobody else can have: the names of people hold no brackets.
    """

    api: Api
    repository: str
    number: int
    marker: str
    login: str = ACTIONS
    _authored: dict[str, _Node] = field(default_factory=dict, init=False, repr=False)

    def list_own(self) -> list[Comment]:
        """Return our comments from all pages, the oldest first."""
        place = build_path("repos", self.repository, "issues", self.number, "comments")
        listed = self.api.list_pages(place, Comment, to=_READ)
        found = [comment for comment in listed if comment.text.startswith(self.marker)]
        self._learn(comment for comment in found if comment.node_id not in self._authored)
        ours = [c for c in found if self._authored[c.node_id].viewer_did_author]
        return sorted(ours, key=lambda comment: comment.id)

    def read(self, comment: Comment) -> Comment:
        """Return the comment as it is now, or raise a NotFoundError."""
        return self.api.get(self._build_path(comment), Comment, to=_READ)

    def post(self, body: str) -> Comment:
        """Write a new comment. A LostAnswerError means that it may exist already."""
        place = build_path("repos", self.repository, "issues", self.number, "comments")
        return self.api.post(place, {"body": body}, Comment, to=_WRITE)

    def try_to_write(self) -> None:
        """Raise a PermissionMissingError if the token may not write. Nothing is written.

        GitHub refuses a comment without text, but it checks the permission first.
        """
        with suppress(InvalidError):
            self.post("")

    def edit(self, comment: Comment, body: str, again: Again = Again.ANYWAY) -> Comment:
        """Replace the text of a comment, or raise a NotFoundError."""
        words = {"body": body}
        return self.api.patch(self._build_path(comment), words, Comment, to=_WRITE, again=again)

    def remove(self, comment: Comment) -> None:
        self.api.delete(self._build_path(comment), to=_DELETE)

    def hide(self, comment: Comment) -> None:
        """Fold it away as outdated, unless that was done before."""
        known = self._authored.get(comment.node_id)
        if known is None or not known.is_minimized:
            wanted = {"id": comment.node_id, "classifier": "OUTDATED"}
            self.api.graphql(_MINIMIZE, wanted, dict, to=_HIDE)

    def _build_path(self, comment: Comment) -> str:
        return build_path("repos", self.repository, "issues", "comments", comment.id)

    def _learn(self, comments: Iterable[Comment]) -> None:
        """Ask who wrote the comments. Authors do not change, so each is asked for once."""
        new = list(comments)
        for start in range(0, len(new), _AT_ONCE):
            part = new[start : start + _AT_ONCE]
            try:
                known = self._ask_authors(part)
            except UnavailableError:
                known = {}
            for comment in part:
                self._authored[comment.node_id] = known.get(comment.node_id) or self._guess(comment)

    def _ask_authors(self, comments: list[Comment]) -> dict[str, _Node]:
        ids = {"ids": [comment.node_id for comment in comments]}
        found = self.api.graphql(_AUTHORED, ids, _Nodes, to=_READ)
        return {node.id: node for node in found.nodes if node}

    def _guess(self, comment: Comment) -> _Node:
        who = comment.user
        ours = who is not None and (who.login, who.type) == (self.login, "Bot")
        return _Node(id=comment.node_id, viewer_did_author=ours)


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


class _Nodes(msgspec.Struct):
    nodes: list[_Node | None] = []
