"""The meaning of spans. To add an instrumentation: write a module like those here, then list it."""

from collections.abc import Sequence
from typing import Protocol

from agentevals.model.conversations import Span, SpanEvent
from agentevals.model.plugins import Table
from agentevals.traces.spans import Reading


class Convention(Protocol):
    """One instrumentation's way to say what an agent did."""

    CONVERSATION_KEYS: tuple[str, ...]
    """Attributes that hold the same value in all traces of one conversation."""

    def speaks(self, span: Span, logs: Sequence[SpanEvent]) -> bool:
        """Return whether the span follows this convention. Called for every span, so be quick."""
        ...

    def read(self, reading: Reading) -> None:
        """Fill what the conventions before this one left empty."""
        ...


_HOME = "agentevals.traces.conventions"

# In the order in which they are believed.
CONVENTIONS: Table[Convention] = Table(
    "convention",
    {
        "genai": f"{_HOME}.genai",
        "adk": f"{_HOME}.adk",
        "openllmetry": f"{_HOME}.openllmetry",
        "uipath": f"{_HOME}.uipath",
        "openinference": f"{_HOME}.openinference",
        "agentv": f"{_HOME}.agentv",
    },
)


def load_all() -> tuple[Convention, ...]:
    """Every convention, in the order in which they are believed."""
    return tuple(CONVENTIONS[name] for name in CONVENTIONS)


def read_span(span: Span, logs: Sequence[SpanEvent], known: Sequence[Convention]) -> Reading | None:
    """Read a span in every convention it follows; the first source of each fact wins."""
    speaking = [convention for convention in known if convention.speaks(span, logs)]
    if not speaking:
        return None
    reading = Reading(span, logs)
    for convention in speaking:
        convention.read(reading)
    return reading
