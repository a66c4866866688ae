"""CrewAI: what its crews add to the spans of OpenInference and OpenLLMetry."""

from collections.abc import Sequence
from typing import Any

from agentevals.model.conversations import Span, SpanEvent
from agentevals.traces.conventions import Reading
from agentevals.traces.messages import Message
from agentevals.traces.values import parse_json, word

CONVERSATION_KEYS: tuple[str, ...] = ()

_TASKS = ("crew_tasks", "crewai.crew.tasks")
_AGENTS = ("crew_agents", "crewai.crew.agents")
# CrewAI's own telemetry holds no messages
_SCOPES = ("openinference.instrumentation.crewai", "opentelemetry.instrumentation.crewai")


def speaks(span: Span, logs: Sequence[SpanEvent]) -> bool:  # noqa: ARG001 -- a seam has one signature
    return span.scope.startswith(_SCOPES)


def read(reading: Reading) -> None:
    """Read the tasks of a crew as what it was asked, unless its inputs have told that."""
    attributes = reading.span.attributes
    reading.rewords = True  # each prompt has the framework's own words around the task
    for key in _TASKS:
        if key in attributes:
            reading.input_sources.append((key, _parse_tasks, attributes[key]))
    roles = [role for key in _AGENTS for role in _list(attributes.get(key), "role")]
    reading.agent = reading.agent or (roles[0] if len(roles) == 1 else "")


def _parse_tasks(raw: Any, role: str) -> list[Message]:
    tasks = _list(raw, "description")
    return [Message(role, "\n\n".join(tasks))] if all(tasks) and tasks else []


def _list(raw: Any, key: str) -> list[str]:
    found = parse_json(raw)
    items = found if isinstance(found, list) else []
    return [word(item.get(key)) for item in items if isinstance(item, dict)]
