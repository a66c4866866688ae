"""The clock started the workflow, on the default branch: what drifts is found this way."""

from typing import Any

import msgspec

from agentevals.github.payload import Part, Scene, shaped


class _Repository(msgspec.Struct, frozen=True):
    default_branch: str | None = None


class Payload(msgspec.Struct, frozen=True):
    """Hardly anything: a scheduled run has no more to tell."""

    repository: _Repository | None = None

    @property
    def default_branch(self) -> str | None:
        """Where the payload says it."""
        return self.repository.default_branch if self.repository else None


def read(payload: dict[str, Any], scene: Scene) -> Part:
    """The newest commit of the default branch, compared with what its newest run has kept."""
    default = shaped(payload, Payload).default_branch or scene.branch
    return Part(
        head_sha=scene.sha,
        head_ref=scene.branch,
        base_ref=default,
        is_base_run=scene.branch is not None,
    )
