"""AgentV's own spans: a root that says which test was run and what the agent answered."""

from agentevals.traces.conventions import Kind, Reading, Shape
from agentevals.traces.span_texts import find_text

CONVERSATION_KEYS = ()

_TEST = "agentv.test_id"
_ANSWERS = ("agentv.output_text", "agentv.answer")


def speaks(shape: Shape) -> bool:
    return _TEST in shape.keys


def read(reading: Reading) -> None:
    """The span of a test stands for the agent that it ran."""
    if reading.kind is Kind.NONE and not reading.ignored:
        reading.kind = Kind.AGENT
    attributes = reading.span.attributes
    reading.output_sources += [
        (key, find_text, attributes[key]) for key in _ANSWERS if key in attributes
    ]
    target = attributes.get("agentv.target")
    if not reading.agent and isinstance(target, str):
        reading.agent = target
