"""Pull requests are about to be merged together: a check or a status lets them."""

from typing import Any

import msgspec

from agentevals.github.events import Environment, Part, Sha, convert, strip_prefix


class _Group(msgspec.Struct, frozen=True):
    head_sha: Sha
    head_ref: str
    base_sha: Sha
    base_ref: str


class _Payload(msgspec.Struct, frozen=True):
    merge_group: _Group
    action: str = ""


def read(payload: dict[str, Any], environment: Environment) -> Part:  # noqa: ARG001 -- a seam has one signature
    """Read the group. It may have several pull requests, and none of them gets a comment.

    The parent is the previous entry of the queue, so a comparison with it is about that one.
    """
    found = convert(payload, _Payload)
    group = found.merge_group
    dissolved = found.action == "destroyed"
    return Part(
        head_sha=group.head_sha,
        head_ref=strip_prefix(group.head_ref),
        base_sha=group.base_sha,
        base_ref=strip_prefix(group.base_ref),
        refusal="the merge group was dissolved; there is nothing to merge" if dissolved else "",
    )
