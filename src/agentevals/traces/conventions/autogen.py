"""AutoGen: the agents of a team. Its agents follow the GenAI conventions."""

import re
from collections.abc import Sequence

from agentevals.model.conversations import Span, SpanEvent
from agentevals.traces.conventions import Reading
from agentevals.traces.values import word

CONVERSATION_KEYS: tuple[str, ...] = ()

_SCOPE, _ID = "autogen-core", "gen_ai.agent.id"
_OF_TEAM = re.compile(r".+_(?P<team>[0-9a-f-]{36})/(?P=team)")


def speaks(span: Span, logs: Sequence[SpanEvent]) -> bool:  # noqa: ARG001 -- a seam has one signature
    return span.scope == _SCOPE and _ID in span.attributes


def read(reading: Reading) -> None:
    """Each agent of a team is in a trace of its own, and hears the others as if they were users."""
    reading.is_of_team = _OF_TEAM.fullmatch(word(reading.span.attributes[_ID])) is not None
