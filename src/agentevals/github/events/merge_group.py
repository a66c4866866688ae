"""Pull requests are about to be merged together: a check or a status lets them."""

import re
from typing import Any

import msgspec

from agentevals.github.events.parts import Part, Scene, Sha, Want, branch_of, shaped

_QUEUED = re.compile(r"^gh-readonly-queue/.+/pr-([1-9][0-9]{0,9})-[0-9a-f]{40,64}\Z")


class _Group(msgspec.Struct, frozen=True):
    head_sha: Sha
    head_ref: str
    base_sha: Sha
    base_ref: str


class _Payload(msgspec.Struct, frozen=True):
    merge_group: _Group
    action: str = ""


def read(payload: dict[str, Any], scene: Scene) -> Part:  # noqa: ARG001 -- a seam has one signature
    """The branch names the last pull request of the group only; no comment is written on it.

    The parent is the previous entry of the queue, so a comparison with it is about that one.
    """
    found = shaped(payload, _Payload)
    group = found.merge_group
    named = _QUEUED.match(branch_of(group.head_ref))
    dissolved = found.action == "destroyed"
    return Part(
        head_sha=group.head_sha,
        head_ref=branch_of(group.head_ref),
        base_sha=group.base_sha,
        base_ref=branch_of(group.base_ref),
        numbers=(int(named.group(1)),) if named else (),
        refusal="the merge group was dissolved; there is nothing to merge" if dissolved else "",
        wants=(Want.PULLS_OF_GROUP,),
    )
