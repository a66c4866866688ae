"""Any other event, or none: the checked-out commit is evaluated, without a pull request."""

from typing import Any

from agentevals.github.payload import Environment, Part


def read(payload: dict[str, Any], environment: Environment) -> Part:  # noqa: ARG001 -- a seam has one signature
    """Read the commit that was checked out, and the pull request if an input names one."""
    return Part(head_sha=environment.sha, head_ref=environment.branch, number=environment.number)
