"""Semantic Kernel: what it adds to arguments and answers, beside the conventions it follows."""

from agentevals.traces.conventions import Kind, Reading, Shape
from agentevals.traces.values import parse_json

CONVERSATION_KEYS: tuple[str, ...] = ()

_QUEUE = "agent_runtime InProcessRuntime"  # between the agents of an orchestration
_TOOLS = "semantic_kernel.functions."
_AGENTS = "semantic_kernel.utils.telemetry.agent_diagnostics."
_PASSED_ON = "instructions_override"  # an agent that is a plugin hands its own on to its tools


def speaks(shape: Shape) -> bool:
    return shape.scope.startswith((_QUEUE, _TOOLS, _AGENTS))


def read(reading: Reading) -> None:
    if reading.span.scope == _QUEUE:
        reading.kind = Kind.SERVICE
        reading.is_of_team = True
    reading.joins = reading.kind is Kind.AGENT
    found = parse_json(reading.args) if reading.kind is Kind.TOOL else None
    if isinstance(found, dict) and _PASSED_ON in found and found[_PASSED_ON] is None:
        reading.args = {name: value for name, value in found.items() if name != _PASSED_ON}
