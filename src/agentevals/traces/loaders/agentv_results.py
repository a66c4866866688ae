"""AgentV's results: what an agent answered when AgentV ran it, row by row, in every release."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Any

from agentevals.model.conversations import Trace, Turn
from agentevals.traces.reading import (
    agentv,
    agentv_failure,
    agentv_files,
    agentv_rows,
    agentv_summary,
)
from agentevals.traces.reading.agentv import Totals
from agentevals.traces.reading.json_text import MalformedError
from agentevals.traces.reading.recording import MALFORMED, Recording
from agentevals.traces.reading.records import Record
from agentevals.traces.spans.values import word

_FORMAT = "AgentV results"

_NAMES = ("test_id", "eval_id", "evalId")
_JUDGED = frozenset({"score", "execution_status"})
_ANSWERS = ("answer", "candidate_answer", "candidateAnswer")
_MESSAGES = ("output", "messages", "output_messages", "outputMessages")
_REQUESTS = ("agent_provider_request", "lm_provider_request")
_COUNTS = frozenset({"token_usage", "cost_usd", "duration_ms"})

Fields = dict[str, Any]


def matches(record: Record) -> bool:
    """Whether a record is a row, several of them, or what a program wrote for AgentV."""
    return _rows(record.document) is not None or _is_output(record.document)


def load(recording: Recording) -> Iterator[Trace]:
    """A trace per row."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> Iterator[Trace]:
    if _is_output(record.document):
        yield _trace(recording, record.document, recording.path.name)
        return
    rows = _rows(record.document)
    if rows is None:
        raise record.unlike(_FORMAT)
    for at, row in enumerate(rows):
        try:
            yield _trace(recording, row, _name(row))
        except MALFORMED as error:
            recording.leave_out(f"row {at + 1}", error, line=record.line)


def _rows(document: Any) -> list[Fields] | None:
    if isinstance(document, dict) and isinstance(document.get("results"), list):
        document = document["results"]
    rows = document if isinstance(document, list) else [document]
    return rows if rows and all(map(_is_row, rows)) else None


def _is_row(row: Any) -> bool:
    return isinstance(row, dict) and bool(_name(row)) and not _JUDGED.isdisjoint(row)


def _is_output(document: Any) -> bool:
    """What a command writes into AgentV's `{OUTPUT_FILE}`: no id, no score."""
    if not isinstance(document, dict) or _name(document):
        return False
    messages = next((document[key] for key in ("output", "output_messages") if key in document), 0)
    if isinstance(messages, list):
        return bool(messages) and all(isinstance(m, dict) and "role" in m for m in messages)
    return isinstance(document.get("text"), str) and not _COUNTS.isdisjoint(document)


def _name(row: Fields) -> str:
    return next((name for key in _NAMES if (name := word(row.get(key)))), "")


def _trace(recording: Recording, row: Fields, name: str) -> Trace:
    error, warnings = agentv_failure.of(row)
    turns: tuple[Turn, ...] = ()
    if not error:
        turns, notes = _turns(recording, row, name)
        warnings += notes
    return Trace(
        trace_id=name,
        turns=turns,
        error=error or ("" if turns else agentv_files.complaint(row)),
        case_id=_name(row),
        sources=(recording.name,),
        warnings=tuple(warnings),
    )


def _turns(recording: Recording, row: Fields, name: str) -> tuple[tuple[Turn, ...], list[str]]:
    """Out of the messages in the row or beside it, else out of the answer."""
    summary = agentv_summary.of(row)
    told = agentv.totals(
        {**summary, **row},
        usage="token_usage",
        cost="cost_usd",
        duration="duration_ms",
        agent=word(row.get("target")),
    )
    asked = _asked(row)
    messages = _messages(row)
    if messages is None and (rows := agentv_files.transcript(recording, row)):
        found = agentv_rows.trace(rows, name, recording.name).turns or ()
        return agentv_summary.completed(found, summary)
    if messages is None:
        answer = _answer(recording, row)
        return _answered(answer, asked, name, told, summary)
    turns = agentv.turns(messages, name, told, asked=asked)
    return agentv_summary.completed(turns, summary)


def _messages(row: Fields) -> list[Any] | None:
    found = next((row[key] for key in _MESSAGES if isinstance(row.get(key), list)), None)
    if found is not None and not all(isinstance(message, dict) for message in found):
        msg = "its messages are not all objects"
        raise MalformedError(msg)
    return found


def _asked(row: Fields) -> str:
    requests = (row.get(key) for key in _REQUESTS)
    asked = (word(r.get("question")) for r in requests if isinstance(r, dict))
    return agentv.question(row.get("input")) or next(islice(filter(None, asked), 1), "")


def _answer(recording: Recording, row: Fields) -> str | None:
    keys = (*_ANSWERS, "text", *_MESSAGES)
    found = next((row[key] for key in keys if row.get(key) is not None), None)
    return agentv_files.answer(recording, row) if found is None else agentv.text(found)


def _answered(
    answer: str | None, asked: str, name: str, told: Totals, summary: Fields
) -> tuple[tuple[Turn, ...], list[str]]:
    """A turn of which nothing but the answer is known, and how often each tool was called."""
    if answer is None:
        return (), []
    turn = Turn(
        turn_id=f"{name}/1",
        user=asked,
        response=answer,
        model_calls=agentv_summary.model_calls(summary),
        agent=told.agent,
        trace_id=name,
        start_ns=told.start_ns,
        end_ns=told.end_ns,
    )
    turn = agentv_summary.with_counted(turn, summary)
    return agentv.with_totals([turn], told), [agentv_summary.caveat(turn.tool_calls)]
