"""Somebody started the workflow by hand, for a branch, or for the pull request of an input."""

from typing import Any

from agentevals.github.events.schedule import Payload
from agentevals.github.payload import Part, Scene, Want, is_base, shaped


def read(payload: dict[str, Any], scene: Scene) -> Part:
    """The commit that was checked out. Whether a given pull request has it must be asked."""
    default = shaped(payload, Payload).default_branch
    return Part(
        head_sha=scene.sha,
        head_ref=scene.branch,
        base_ref=default if scene.number is None else None,
        number=scene.number,
        is_base_run=scene.number is None and is_base(scene.branch, default, scene),
        wants=() if scene.number is None else (Want.PULL,),
    )
