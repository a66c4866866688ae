"""Somebody wrote below a pull request: obeyed only for people who may push themselves."""

import re
from typing import Any

import msgspec

from agentevals.github.events import (
    Account,
    Environment,
    Number,
    Part,
    TriggerComment,
    Want,
    convert,
)

_TRUSTED = ("OWNER", "MEMBER", "COLLABORATOR")
_LONGEST_LINE = 200  # characters kept of what was written
_OURS = "<!-- agentevals:"  # what comments of this action begin with
# the word behind the command, else one with a digit and a letter: dates are no commits, and
# neither is "effaced"
_NAMED = re.compile(r"/\S+\s+([0-9a-f]{7,64})(?!\S)", re.IGNORECASE)
_COMMIT = re.compile(r"\b(?=[a-f]*[0-9])(?=[0-9]*[a-f])([0-9a-f]{7,64})\b", re.IGNORECASE)


class _Comment(msgspec.Struct, frozen=True):
    id: int
    author_association: str
    body: str = ""
    created_at: str = ""
    user: Account | None = None  # an account that was deleted since


class _Issue(msgspec.Struct, frozen=True):
    number: Number
    state: str = "open"
    draft: bool | None = None
    pull_request: dict[str, Any] | None = None


class _Payload(msgspec.Struct, frozen=True):
    action: str
    issue: _Issue
    comment: _Comment


def read(payload: dict[str, Any], environment: Environment) -> Part:  # noqa: ARG001 -- a seam has one signature
    """Read the number. The API must be asked for the head: it may have moved since the comment."""
    found = convert(payload, _Payload)
    issue = found.issue
    return Part(
        privileged=True,
        number=issue.number if issue.pull_request is not None else None,
        draft=bool(issue.draft),
        closed=issue.state == "closed",
        comment=_read_comment(found.comment),
        refusal=_explain_refusal(found),
        wants=(Want.PULL, Want.MERGE_BASE) if issue.pull_request is not None else (),
    )


def _read_comment(comment: _Comment) -> TriggerComment:
    first = next(iter(comment.body.strip().splitlines()), "")[:_LONGEST_LINE]
    named = _NAMED.match(first) or _COMMIT.search(first)
    return TriggerComment(
        comment_id=comment.id,
        author=comment.user.login if comment.user else "",
        author_association=comment.author_association,
        first_line=first,
        created_at=comment.created_at,
        commit=named.group(1).lower() if named else "",
    )


def _explain_refusal(found: _Payload) -> str:
    issue, association = found.issue, found.comment.author_association
    if found.action != "created":
        return f"the comment was {found.action}; only new comments are obeyed"
    if found.comment.body.startswith(_OURS):
        return "the comment is one of this action itself, and starts nothing"
    if issue.pull_request is None:
        return f"#{issue.number} is an issue, not a pull request"
    if association not in _TRUSTED:
        return (
            f"the author of the comment is {association} here; "
            f"only {', '.join(_TRUSTED[:-1])} and {_TRUSTED[-1]} are obeyed"
        )
    return f"the pull request #{issue.number} is closed" if issue.state == "closed" else ""
