"""Rows of AgentV: messages of a transcript as one trace, and how a test failed."""

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
_AFTER_THE_AGENT = frozenset({"evaluator", "teardown"})
_LONGEST = 500  # characters of an error


def build_trace(rows: Sequence[Fields], test_id: str, source: str) -> Trace:
    """The trace of the rows of one test."""
    first, origin = rows[0], rows[0].get("source")
    about = origin if isinstance(origin, dict) else {}
    told = agentv.read_totals(
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
        turns=agentv.build_turns(messages, name, told),
        # whoever imports a session without naming a test gets the session's id there
        case_id="" if test_id == session else test_id,
        sources=(source,),
    )


def _index(row: Fields) -> float:
    index = row.get("message_index")
    return index if isinstance(index, int | float) and not isinstance(index, bool) else 0


def read_failure(row: Fields) -> tuple[str, list[str]]:
    """Why there is nothing to score, or what is worth knowing although there is."""
    status, stage = row.get("execution_status"), word(row.get("failure_stage"))
    told = row.get("error")
    why = (word(told.get("message")) if isinstance(told, dict) else word(told))[:_LONGEST]
    warnings = []
    trials = row.get("trials")
    if isinstance(trials, list) and len(trials) > 1:
        warnings.append(f"{len(trials)} trials were run; the answer of one of them is recorded")
    if status != "execution_error" and (not why or status is not None):
        return "", warnings
    if stage in _AFTER_THE_AGENT:
        return "", [*warnings, f"AgentV could not score it ({stage}): {why}"]
    where = f" ({stage})" if stage else ""
    return f"AgentV could not run it{where}: {why or 'it does not say why'}", warnings
