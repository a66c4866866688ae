"""Approvals of people: comments that approve something by its digest, and reviews of the newest
commit.
"""

import re
from collections.abc import Iterator
from typing import Any

from agentevals.github.api import Api
from agentevals.github.api_calls import NotFoundError, Purpose, build_path
from agentevals.github.issue_comments import User
from agentevals.model.noun import Noun
from agentevals.model.rule_changes import APPROVE, DIGEST

_READ = Purpose(deed="read who approved what", needs="pull-requests: read")
_ASK = Purpose(deed="ask who may write to the repository", needs="metadata: read")
_LINE = re.compile(rf"{APPROVE}((?:[ \t]+{DIGEST})+)[ \t]*")
_MAY_WRITE = frozenset({"admin", "maintain", "write"})
_READ_REVIEWS = Purpose(deed="read who approved the pull request", needs="pull-requests: read")
_APPROVED = "APPROVED"
_DECISIONS = frozenset({_APPROVED, "CHANGES_REQUESTED", "DISMISSED"})  # COMMENTED changes none


class Remark(Noun, frozen=True):
    """A comment of anybody on a pull request."""

    body: str | None = ""
    created_at: str = ""
    updated_at: str = ""
    user: User | None = None
    performed_via_github_app: dict[str, Any] | None = None

    @property
    def approves(self) -> tuple[str, ...]:
        """The digests that it approves. A comment that was edited, or is a program's, has none:
        whoever may write to the repository may edit the words of others."""
        if self.user is None or not self.user.is_person or self.performed_via_github_app:
            return ()
        if self.created_at != self.updated_at:
            return ()
        lines = (_LINE.fullmatch(line.strip()) for line in (self.body or "").splitlines())
        return tuple(digest for line in lines if line for digest in line.group(1).split())


class _Permission(Noun, frozen=True):
    permission: str = ""


def list_remarks(api: Api, repository: str, number: int) -> list[Remark]:
    """Return all comments on a pull request, the oldest first."""
    place = build_path("repos", repository, "issues", number, "comments")
    return list(api.list_pages(place, Remark, to=_READ))


def find_approvers(
    api: Api, repository: str, remarks: list[Remark], *, without: str
) -> Iterator[tuple[str, str]]:
    """Yield each approved digest with its approver, leaving out one person.

    Only people are asked about who have approved something, and each of them once.
    """
    allowed: dict[str, bool] = {}
    for remark in remarks:
        login = remark.user.login if remark.user else ""
        if not remark.approves or (without and login.lower() == without.lower()):
            continue
        if login not in allowed:
            allowed[login] = may_write(api, repository, login)
        if allowed[login]:
            yield from ((digest, login) for digest in remark.approves)


def may_write(api: Api, repository: str, login: str) -> bool:
    """Return whether somebody may push to the repository. Nobody with no name may."""
    if not login:
        return False
    place = build_path("repos", repository, "collaborators", login, "permission")
    try:
        return api.get(place, _Permission, to=_ASK).permission in _MAY_WRITE
    except NotFoundError:
        return False


class _Review(Noun, frozen=True):
    state: str
    user: User | None = None
    commit_id: str | None = None


def list_approvers(api: Api, repository: str, number: int, commit: str) -> list[User]:
    """Return the people whose last decision approves this commit, not an earlier one."""
    place = build_path("repos", repository, "pulls", number, "reviews")
    last = {
        review.user.id: review
        for review in api.list_pages(place, _Review, to=_READ_REVIEWS)
        if review.user and review.user.is_person and review.state in _DECISIONS
    }
    return [
        review.user
        for review in last.values()
        if review.user and review.state == _APPROVED and review.commit_id == commit
    ]
