"""Cases as UiPath leaves them: an output, and spans of tools."""

import json

from agentevals.model.cases import Case
from agentevals.model.conversations import Span
from tests.support import conversation, turn


def of(output="", *spans, **fields):
    """A case whose agent put something out, with the spans of its tools."""
    text = output if isinstance(output, str) else json.dumps(output)
    return Case(conversation=conversation(turn(text), spans=spans), **fields)


def tool(name, arguments=None, output=None, at=0, **more):
    """The span of a tool, as `@traced` writes it."""
    attributes = {"tool.name": name, **more}
    if arguments is not None:
        attributes["input.value"] = arguments
    if output is not None:
        attributes["output.value"] = output
    return Span(span_id=f"{name}{at}", name="anything", attributes=attributes, end_ns=at)
