"""The rows of AgentV's transcripts, each of them a message and what is known of all of them."""

from collections.abc import Sequence
from typing import Any

from agentevals.model.conversations import Trace
from agentevals.traces.reading import agentv
from agentevals.traces.spans.values import word

Fields = dict[str, Any]

# of a row; what else stands in it is the message
_AROUND = frozenset(
    {"schema_version", "test_id", "target", "message_index", "source", "capture"}
    | {"transcript_token_usage", "transcript_duration_ms", "transcript_cost_usd"}
)


def trace(rows: Sequence[Fields], test_id: str, source: str) -> Trace:
    """The trace of the rows of one test."""
    first, origin = rows[0], rows[0].get("source")
    about = origin if isinstance(origin, dict) else {}
    told = agentv.totals(
        first,
        usage="transcript_token_usage",
        cost="transcript_cost_usd",
        duration="transcript_duration_ms",
        model=word(about.get("model")),
        agent=word(first.get("target")),
    )
    session = word(about.get("session_id"))
    name = test_id or session or source
    messages = [
        {key: value for key, value in row.items() if key not in _AROUND}
        for row in sorted(rows, key=_index)
    ]
    return Trace(
        trace_id=name,
        turns=agentv.turns(messages, name, told),
        # whoever imports a session without naming a test gets the session's id there
        case_id="" if test_id == session else test_id,
        sources=(source,),
    )


def _index(row: Fields) -> float:
    index = row.get("message_index")
    return index if isinstance(index, int | float) and not isinstance(index, bool) else 0
