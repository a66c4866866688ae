"""Somebody started the workflow by hand, for a branch, or for the pull request of an input."""

from typing import Any

from agentevals.github.events.schedule import Payload
from agentevals.github.payload import Environment, Part, Want, convert, is_base


def read(payload: dict[str, Any], environment: Environment) -> Part:
    """Read the commit that was checked out. Only the API knows the pull request of it."""
    default = convert(payload, Payload).default_branch
    return Part(
        head_sha=environment.sha,
        head_ref=environment.branch,
        base_ref=default if environment.number is None else None,
        number=environment.number,
        is_base_run=environment.number is None
        and is_base(environment.branch, default, environment),
        wants=() if environment.number is None else (Want.PULL,),
    )
