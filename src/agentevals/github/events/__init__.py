"""What started the run. To add an event: write a module with `read`, then list it here.

A module takes what it needs out of GitHub's payload and asks nobody: what the payload does not
hold is a `Want`, for somebody who may ask the API.
"""

from typing import Any, Protocol

from agentevals.github.payload import Part, Scene
from agentevals.model.plugins import Table

OTHER = "other"


class Event(Protocol):
    """What an event module provides."""

    def read(self, payload: dict[str, Any], scene: Scene) -> Part:
        """The fields of the context that the payload tells; a PayloadError if it is malformed."""
        ...


_HOME = "agentevals.github.events"

EVENTS: Table[Event] = Table(
    "event",
    {
        "pull_request": f"{_HOME}.pull_request",
        "pull_request_target": f"{_HOME}.pull_request_target",
        "workflow_run": f"{_HOME}.workflow_run",
        "merge_group": f"{_HOME}.merge_group",
        "push": f"{_HOME}.push",
        "workflow_dispatch": f"{_HOME}.workflow_dispatch",
        "schedule": f"{_HOME}.schedule",
        "issue_comment": f"{_HOME}.issue_comment",
        OTHER: f"{_HOME}.other",
    },
)
