"""Commits were pushed to a branch; on the default branch the run makes a baseline."""

from typing import Any

import msgspec

from agentevals.github.events import (
    Environment,
    Part,
    Repository,
    Sha,
    Want,
    convert,
    is_base,
    strip_prefix,
)


class _Payload(msgspec.Struct, frozen=True):
    ref: str
    before: Sha
    after: Sha
    repository: Repository
    deleted: bool = False


def read(payload: dict[str, Any], environment: Environment) -> Part:
    """Read the pushed commit and the one before it, which a new branch does not have."""
    found = convert(payload, _Payload)
    default = found.repository.default_branch
    branch = _find_branch(found.ref)
    on_base = is_base(branch, default, environment)
    gone = found.deleted or _is_nothing(found.after)
    before = None if _is_nothing(found.before) else found.before
    return Part(
        head_sha=None if gone else found.after,
        head_ref=branch,
        head_repository=found.repository.full_name,
        base_sha=before,
        base_ref=branch if on_base else default,
        is_base_run=on_base and not gone,
        refusal="the branch was deleted; there is nothing to evaluate" if gone else "",
        wants=() if on_base or gone else (Want.PULL_OF_COMMIT, Want.MERGE_BASE),
    )


def _find_branch(ref: str) -> str | None:
    """Return the branch of a ref, or None for a tag."""
    return None if ref.startswith("refs/tags/") else strip_prefix(ref)


def _is_nothing(sha: str) -> bool:
    return not sha.strip("0")
