"""Pull requests are about to be merged together: a check or a status lets them."""

from typing import Any

import msgspec

from agentevals.github.payload import Part, Scene, Sha, branch_of, shaped


class _Group(msgspec.Struct, frozen=True):
    head_sha: Sha
    head_ref: str
    base_sha: Sha
    base_ref: str


class _Payload(msgspec.Struct, frozen=True):
    merge_group: _Group
    action: str = ""


def read(payload: dict[str, Any], scene: Scene) -> Part:  # noqa: ARG001 -- a seam has one signature
    """No pull request is asked for: there may be several, and no comment is written on any.

    The parent is the previous entry of the queue, so a comparison with it is about that one.
    """
    found = shaped(payload, _Payload)
    group = found.merge_group
    dissolved = found.action == "destroyed"
    return Part(
        head_sha=group.head_sha,
        head_ref=branch_of(group.head_ref),
        base_sha=group.base_sha,
        base_ref=branch_of(group.base_ref),
        refusal="the merge group was dissolved; there is nothing to merge" if dissolved else "",
    )
