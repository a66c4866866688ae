"""Events without a pull request or a push: the commit that was checked out is evaluated."""

from typing import Any

import msgspec

from agentevals.github.events import Environment, Part, Want, convert, is_base


class _Repository(msgspec.Struct, frozen=True):
    default_branch: str | None = None


class _Payload(msgspec.Struct, frozen=True):
    """GitHub sends hardly anything."""

    repository: _Repository | None = None

    @property
    def default_branch(self) -> str | None:
        """The default branch, if the payload names it."""
        return self.repository.default_branch if self.repository else None


def read_schedule(payload: dict[str, Any], environment: Environment) -> Part:
    """Read the newest commit of the default branch, whose baseline is the newest run there."""
    default = convert(payload, _Payload).default_branch or environment.branch
    return Part(
        head_sha=environment.sha,
        head_ref=environment.branch,
        base_ref=default,
        is_base_run=environment.branch is not None,
    )


def read_dispatch(payload: dict[str, Any], environment: Environment) -> Part:
    """Read the commit of a run that was started by hand, for a branch or for an input's number.

    Only the API knows the pull request of that number.
    """
    default = convert(payload, _Payload).default_branch
    return Part(
        head_sha=environment.sha,
        head_ref=environment.branch,
        base_ref=default if environment.number is None else None,
        number=environment.number,
        is_base_run=environment.number is None
        and is_base(environment.branch, default, environment),
        wants=() if environment.number is None else (Want.PULL,),
    )


def read_other(payload: dict[str, Any], environment: Environment) -> Part:  # noqa: ARG001 -- a seam has one signature
    """Read the commit of another event, or of none, and the number that an input has."""
    return Part(head_sha=environment.sha, head_ref=environment.branch, number=environment.number)
