"""A pull request, seen from its base: a token that may write, so nothing of its head is obeyed."""

from typing import Any

from agentevals.github.events import pull_request
from agentevals.github.payload import Environment, Part


def read(payload: dict[str, Any], environment: Environment) -> Part:
    """Read the payload of `pull_request`. GitHub also sends it while there are conflicts."""
    part = pull_request.read(payload, environment)
    part["privileged"] = True
    return part
