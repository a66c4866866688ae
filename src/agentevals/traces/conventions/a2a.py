"""The Agent2Agent protocol: what is written of its messages. None of them is work of an agent."""

from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPE = "a2a-python-sdk"  # a span for each of its functions
_METHOD = "a2a.method.name"  # of OpenTelemetry's conventions: a span for each message


def speaks(shape: Shape) -> bool:
    return shape.scope == _SCOPE or _METHOD in shape.keys


def read(reading: Reading) -> None:
    """Let the agents around and below a message be read as if it were not there."""
    reading.kind = Kind.SERVICE
