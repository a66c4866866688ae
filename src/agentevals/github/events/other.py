"""Any other event, and none at all: what is checked out is evaluated, and nobody is told."""

from typing import Any

from agentevals.github.payload import Part, Scene


def read(payload: dict[str, Any], scene: Scene) -> Part:  # noqa: ARG001 -- a seam has one signature
    """The commit that was checked out; a pull request only if an input names it."""
    return Part(head_sha=scene.sha, head_ref=scene.branch, number=scene.number)
