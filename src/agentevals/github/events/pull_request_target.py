"""A pull request, seen from its base: a token that may write, so nothing of its head is obeyed."""

from typing import Any

from agentevals.github.events import pull_request
from agentevals.github.payload import Part, Scene


def read(payload: dict[str, Any], scene: Scene) -> Part:
    """The same payload as `pull_request`; also sent while there are conflicts."""
    part = pull_request.read(payload, scene)
    part["privileged"] = True
    return part
