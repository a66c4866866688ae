"""Comments on a pull request, and which of them are ours."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import msgspec

from agentevals.github.api import Api
from agentevals.github.calls import Again, InvalidError, Purpose, build_path
from agentevals.model.errors import UnavailableError
from agentevals.model.noun import Noun

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


class _Node(msgspec.Struct, rename="camel"):
    id: str = ""
    viewer_did_author: bool = False
    is_minimized: bool = False


class _Nodes(msgspec.Struct):
    nodes: list[_Node | None] = []


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
