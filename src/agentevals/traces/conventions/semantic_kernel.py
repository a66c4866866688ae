"""Semantic Kernel: what it adds to arguments and answers, beside the conventions it follows."""

from agentevals.traces.attribute_values import parse_json
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_QUEUE = "agent_runtime InProcessRuntime"  # between the agents of an orchestration
_TOOLS = "semantic_kernel.functions."
_AGENTS = "semantic_kernel.utils.telemetry.agent_diagnostics."
_PASSED_ON = "instructions_override"  # an agent that is a plugin hands its own on to its tools
# a stream leaves one text of all that was said, and nothing in the spans tells of a stream
_APART = (
    "Export the log records of Semantic Kernel as well: set "
    "OTEL_PYTHON_LOGGING_AUTO_INSTRUMENTATION_ENABLED=true, add "
    "logging.getLogger('semantic_kernel').setLevel(logging.INFO), and record again"
)


def speaks(shape: Shape) -> bool:
    return shape.scope.startswith((_QUEUE, _TOOLS, _AGENTS))


def read(reading: Reading) -> None:
    if reading.span.scope == _QUEUE:
        reading.kind = Kind.SERVICE
        reading.is_of_team = True
    reading.joins = _APART if reading.kind is Kind.AGENT else ""
    found = parse_json(reading.args) if reading.kind is Kind.TOOL else None
    if isinstance(found, dict) and _PASSED_ON in found and found[_PASSED_ON] is None:
        reading.args = {name: value for name, value in found.items() if name != _PASSED_ON}
