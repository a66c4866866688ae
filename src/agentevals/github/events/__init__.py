"""Events that start a run. To add one: write a module with `read`, then list it here.

A module reads GitHub's payload and sends no request. It returns a `Want` for each fact that
only the API knows.
"""

from typing import Any, Protocol

from agentevals.github.payload import Environment, Part
from agentevals.model.plugins import Table

OTHER = "other"


class Event(Protocol):
    """The interface of an event module."""

    def read(self, payload: dict[str, Any], environment: Environment) -> Part:
        """Return the fields of the context in the payload, or raise a PayloadError."""
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
