"""The clock started the workflow, on the default branch: what drifts is found this way."""

from typing import Any

import msgspec

from agentevals.github.payload import Environment, Part, convert


class _Repository(msgspec.Struct, frozen=True):
    default_branch: str | None = None


class Payload(msgspec.Struct, frozen=True):
    """The payload of a scheduled run: hardly anything."""

    repository: _Repository | None = None

    @property
    def default_branch(self) -> str | None:
        """The default branch, if the payload names it."""
        return self.repository.default_branch if self.repository else None


def read(payload: dict[str, Any], environment: Environment) -> Part:
    """Read the newest commit of the default branch. Its baseline is the newest run there."""
    default = convert(payload, Payload).default_branch or environment.branch
    return Part(
        head_sha=environment.sha,
        head_ref=environment.branch,
        base_ref=default,
        is_base_run=environment.branch is not None,
    )
