"""Microsoft Agent Framework: its workflows. Its agents follow the GenAI conventions."""

from agentevals.traces.attribute_values import word
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPE, _STEP, _TYPE = "agent_framework", "executor.process", "executor.type"
_KINDS = {"workflow.build": Kind.PREPARATION, "workflow.run": Kind.WORKFLOW}
_AGENTS = ("AgentExecutor", "WorkflowExecutor")  # what runs in these has spans of its own
_OF_THE_FRAMEWORK = ("_", "GroupChat", "AgentBasedGroupChat", "Magentic")


def speaks(shape: Shape) -> bool:
    return shape.scope == _SCOPE and (shape.name in _KINDS or shape.name.startswith(_STEP))


def read(reading: Reading) -> None:
    reading.kind = _KINDS.get(reading.span.name, Kind.STEP)
    reading.is_run = reading.kind is Kind.WORKFLOW
    made_by = word(reading.span.attributes.get(_TYPE))
    if made_by.endswith(_AGENTS):
        reading.kind, reading.ignored = Kind.NONE, True
    reading.rewords = reading.kind is Kind.STEP and not made_by.startswith(_OF_THE_FRAMEWORK)
