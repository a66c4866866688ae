"""A pull request was opened or pushed to. From a fork it has a read-only token and no secrets."""

from typing import Any

import msgspec

from agentevals.github.events import (
    DEPENDABOT,
    Account,
    Environment,
    Number,
    Part,
    Repository,
    Sha,
    Want,
    convert,
)


class _Side(msgspec.Struct, frozen=True):
    ref: str
    sha: Sha
    repo: Repository | None = None  # a fork that was deleted since


class _PullRequest(msgspec.Struct, frozen=True):
    number: Number
    state: str
    head: _Side
    base: _Side
    user: Account | None = None
    draft: bool = False
    mergeable: bool | None = None


class _Payload(msgspec.Struct, frozen=True):
    pull_request: _PullRequest
    action: str = ""


def read(payload: dict[str, Any], environment: Environment) -> Part:  # noqa: ARG001 -- a seam has one signature
    """Read the head of the pull request, not the merge commit that the runner checks out."""
    found = convert(payload, _Payload)
    pull = found.pull_request
    head, base = pull.head, pull.base
    closed = pull.state == "closed" or found.action == "closed"
    return Part(
        number=pull.number,
        author=pull.user.login if pull.user else "",
        head_sha=head.sha,
        head_ref=head.ref,
        head_repository=head.repo.full_name if head.repo else None,
        base_sha=base.sha,
        base_ref=base.ref,
        fork=head.repo is None or base.repo is None or head.repo.id != base.repo.id,
        dependabot=pull.user is not None and pull.user.login == DEPENDABOT,
        draft=pull.draft,
        closed=closed,
        conflict=pull.mergeable is False,
        refusal=f"the pull request #{pull.number} is closed" if closed else "",
        wants=(Want.MERGE_BASE,),
    )


def read_target(payload: dict[str, Any], environment: Environment) -> Part:
    """Read it for a run of its base: the token may write, so nothing of the head is obeyed.

    GitHub also sends it while there are conflicts.
    """
    part = read(payload, environment)
    part["privileged"] = True
    return part
