"""AutoGen: the agents of a team, and the queue between them. Its agents follow GenAI."""

import re

from agentevals.traces.attribute_values import word
from agentevals.traces.conventions import Kind, Reading, Shape

CONVERSATION_KEYS: tuple[str, ...] = ()

QUEUE = "autogen SingleThreadedAgentRuntime"
_SCOPE, _ID = "autogen-core", "gen_ai.agent.id"
_OF_TEAM = re.compile(r".+_(?P<team>[0-9a-f-]{36})/(?P=team)")
_TO_TEAM = "autogen create group_topic_"


def speaks(shape: Shape) -> bool:
    return shape.scope in (_SCOPE, QUEUE)


def read(reading: Reading) -> None:
    """Each agent of a team is in a trace of its own, and hears the others as if they were users."""
    span = reading.span
    if span.scope == QUEUE:
        reading.kind = Kind.SERVICE
        reading.is_of_team = span.name.startswith(_TO_TEAM)
    else:
        reading.is_of_team = _OF_TEAM.fullmatch(word(span.attributes.get(_ID))) is not None
