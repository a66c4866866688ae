"""CrewAI: what its crews add to the spans of OpenInference and OpenLLMetry."""

import re
from typing import Any

from agentevals.traces import langchain_values
from agentevals.traces.attribute_values import parse_json, word
from agentevals.traces.chat_messages import Message, build_message
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_TASKS = ("crew_tasks", "crewai.crew.tasks")
_AGENTS = ("crew_agents", "crewai.crew.agents")
_PARTS = frozenset({"crewai.crew.id", "crewai.task.id"})
_ROLE = "crewai.agent.role"
# what Python prints of the tasks; older releases leave nothing else
_PRINTED = re.compile(
    r"""'description': (?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"), 'async_execution': """
)
_CALLING = frozenset({"tool_string", "calling"})
# CrewAI's own telemetry holds no messages
_SCOPES = ("openinference.instrumentation.crewai", "opentelemetry.instrumentation.crewai")


def speaks(shape: Shape) -> bool:
    return shape.scope.startswith(_SCOPES)


def read(reading: Reading) -> None:
    """Read the tasks of a crew as what it was asked, unless its inputs have told that."""
    attributes = reading.span.attributes
    if reading.kind is Kind.TOOL:
        reading.args = _unwrap_arguments(reading.args)
        return
    if reading.kind is Kind.NONE and not _PARTS.isdisjoint(attributes):
        reading.kind = Kind.WORKFLOW
    reading.rewords = True  # each prompt has the framework's own words around the task
    for key in _TASKS:
        if key in attributes:
            reading.input_sources.append((key, _parse_tasks, attributes[key]))
    roles = [role for key in _AGENTS for role in _list(attributes.get(key), "role")]
    reading.agent = reading.agent or (roles[0] if len(roles) == 1 else "")
    reading.agent = reading.agent or word(attributes.get(_ROLE))


def _unwrap_arguments(found: Any) -> Any:
    """Return the arguments out of what CrewAI has parsed of the text in which a model asks."""
    if not isinstance(found, dict) or not found.keys() >= _CALLING:
        return found
    _, _, printed = word(found["calling"]).partition(" arguments=")
    given = langchain_values.parse_literal(printed)
    if isinstance(given, dict):
        return given
    return {} if printed == "None" else None


def _parse_tasks(raw: Any, role: str) -> list[Message]:
    tasks = _list(raw, "description") or _list_printed(raw)
    return [build_message("\n\n".join(tasks), role)] if all(tasks) and tasks else []


def _list_printed(raw: Any) -> list[str]:
    texts = _PRINTED.finditer(raw) if isinstance(raw, str) else ()
    return [word(langchain_values.evaluate(found["text"])) for found in texts]


def _list(raw: Any, key: str) -> list[str]:
    found = parse_json(raw)
    items = found if isinstance(found, list) else []
    return [word(item.get(key)) for item in items if isinstance(item, dict)]
