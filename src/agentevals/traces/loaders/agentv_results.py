"""AgentV's results: what an agent answered when AgentV ran it, row by row, in every release."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ModelCall, ToolCall, Trace, Turn
from agentevals.traces.attribute_values import count, word
from agentevals.traces.reading import (
    MalformedError,
    Record,
    agentv_rows,
    agentv_turns,
    spoken_turns,
)
from agentevals.traces.reading.agentv_turns import Totals
from agentevals.traces.reading.fact_evidence import Lacks, require
from agentevals.traces.reading.trace_files_opened import MALFORMED, Recording

_MOST = 100_000  # calls that are made out of one number

_COUNTED_ONLY = (
    "recorded is how often each tool was called, and neither in which order nor with what; "
    "only counts can be judged"
)
_ANSWER_ONLY = "recorded is the answer only; whether tools were called is not known"
_FORMAT = "AgentV results"

_NAMES = ("test_id", "eval_id", "evalId")
_JUDGED = frozenset({"score", "execution_status"})
_ANSWERS = ("answer", "candidate_answer", "candidateAnswer")
_MESSAGES = ("output", "messages", "output_messages", "outputMessages")
_REQUESTS = ("agent_provider_request", "lm_provider_request")
_COUNTS = frozenset({"token_usage", "cost_usd", "duration_ms"})

Fields = dict[str, Any]


def matches(record: Record) -> bool:
    """Return whether a record is a row, several of them, or the output of a program for AgentV."""
    return _rows(record.document) is not None or _is_output(record.document)


def load(recording: Recording) -> Iterator[Trace]:
    """Return a trace per row."""
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
            recording.skip(f"row {at + 1}", error, line=record.line)


def _rows(document: Any) -> list[Fields] | None:
    if isinstance(document, dict) and isinstance(document.get("results"), list):
        document = document["results"]
    rows = document if isinstance(document, list) else [document]
    return rows if rows and all(map(_is_row, rows)) else None


def _is_row(row: Any) -> bool:
    return isinstance(row, dict) and bool(_name(row)) and not _JUDGED.isdisjoint(row)


def _is_output(document: Any) -> bool:
    """Return whether a command wrote this to AgentV's `{OUTPUT_FILE}`: no id, no score."""
    if not isinstance(document, dict) or _name(document):
        return False
    messages = next((document[key] for key in ("output", "output_messages") if key in document), 0)
    if isinstance(messages, list):
        return bool(messages) and all(isinstance(m, dict) and "role" in m for m in messages)
    return isinstance(document.get("text"), str) and not _COUNTS.isdisjoint(document)


def _name(row: Fields) -> str:
    return next((name for key in _NAMES if (name := word(row.get(key)))), "")


def _trace(recording: Recording, row: Fields, name: str) -> Trace:
    error, warnings = agentv_rows.read_failure(row)
    turns: tuple[Turn, ...] = ()
    if not error:
        turns, notes = _turns(recording, row, name)
        warnings += notes
    return Trace(
        trace_id=name,
        turns=turns,
        error=error or ("" if turns else agentv_rows.explain_missing(row)),
        case_id=_name(row),
        sources=(recording.name,),
        warnings=tuple(warnings),
    )


def _turns(recording: Recording, row: Fields, name: str) -> tuple[tuple[Turn, ...], list[str]]:
    """Build turns out of the messages in the row or beside it, else out of the answer."""
    summary = _read_summary(row)
    told = agentv_turns.read_totals(
        {**summary, **row},
        usage="token_usage",
        cost="cost_usd",
        duration="duration_ms",
        agent=word(row.get("target")),
    )
    asked = _find_question(row)
    messages = _messages(row)
    if messages is None and (rows := agentv_rows.read_transcript(recording, row)):
        found = agentv_rows.build_trace(rows, name, recording.name).turns or ()
        return _complete(found, summary)
    if messages is None:
        answer = _find_answer(recording, row)
        return _build_from_answer(answer, asked, name, told, summary)
    turns = agentv_turns.build_turns(messages, name, told, asked=asked)
    return _complete(turns, summary)


def _messages(row: Fields) -> list[Any] | None:
    found = next((row[key] for key in _MESSAGES if isinstance(row.get(key), list)), None)
    if found is not None and not all(isinstance(message, dict) for message in found):
        msg = "its messages are not all objects"
        raise MalformedError(msg)
    return found


def _find_question(row: Fields) -> str:
    given = row.get("input")
    for message in given if isinstance(given, list) else []:
        if isinstance(message, dict):
            require(message, "role", of="a message of 'input'")
            if agentv_turns.is_cut(message):
                msg = "a part of 'input' has no type or no text; record it again"
                raise MalformedError(msg)
    requests = (row.get(key) for key in _REQUESTS)
    asked = (word(r.get("question")) for r in requests if isinstance(r, dict))
    return agentv_turns.find_question(row.get("input")) or next(filter(None, asked), "")


def _find_answer(recording: Recording, row: Fields) -> str | None:
    keys = (*_ANSWERS, "text", *_MESSAGES)
    found = next((row[key] for key in keys if row.get(key) is not None), None)
    return (
        agentv_rows.read_answer(recording, row) if found is None else agentv_turns.read_text(found)
    )


def _build_from_answer(
    answer: str | None, asked: str, name: str, told: Totals, summary: Fields
) -> tuple[tuple[Turn, ...], list[str]]:
    """Return a turn of which only the answer and the number of calls of each tool are known."""
    if answer is None:
        return (), []
    turn = Turn(
        turn_id=f"{name}/1",
        user=asked,
        response=answer,
        model_calls=_build_model_calls(summary),
        agent=told.agent,
        trace_id=name,
        start_ns=told.start_ns,
        end_ns=told.end_ns,
        timed=told.timed and not told.end_ns,
    )
    counted = _build_tool_calls(summary)
    caveat = _COUNTED_ONLY if counted else _ANSWER_ONLY
    lacks: Lacks = {} if asked else {Fact.QUESTION: "the row has no 'input'"}
    if _find_counts(summary) is None:
        lacks[Fact.TOOL_CALLS] = "the row holds the answer only"
    elif counted:
        lacks[Fact.TOOL_ANSWERS] = "the row holds how often each tool was called only"
    turn = agentv_turns.with_gaps(_add_counted_calls(turn, counted), lacks)
    return agentv_turns.add_totals([turn], told), [caveat]


def _read_summary(row: Fields) -> Fields:
    found = next((row[key] for key in ("trace", "trace_summary") if key in row), None)
    return found if isinstance(found, dict) else {}


def _build_tool_calls(summary: Fields) -> tuple[ToolCall, ...]:
    """Return as many calls as were counted, sorted by name; their arguments are not known."""
    names = _find_counts(summary) or {}
    counts = {name: count(number) or 0 for name, number in names.items()}
    if sum(counts.values()) > _MOST:
        msg = f"it counts more than {_MOST} tool calls"
        raise MalformedError(msg)
    took = summary.get("tool_durations")
    durations = took if isinstance(took, dict) else {}
    named = ((name, at) for name, number in sorted(counts.items()) for at in range(number))
    return tuple([_build_tool_call(name, durations.get(name), at) for name, at in named])


def _find_counts(summary: Fields) -> Fields | None:
    """Return how often each tool was called, if that was counted."""
    told = [summary.get(key) for key in ("tool_calls_by_name", "tool_calls")]
    return next((each for each in told if isinstance(each, dict)), None)


def _build_model_calls(summary: Fields) -> tuple[ModelCall, ...]:
    number = count(summary.get("llm_call_count")) or 0
    if number > _MOST:
        msg = f"it counts more than {_MOST} requests to models"
        raise MalformedError(msg)
    return (ModelCall(),) * number


def _complete(turns: tuple[Turn, ...], summary: Fields) -> tuple[tuple[Turn, ...], list[str]]:
    """Return the turns; where their messages hold none of the counted calls, with those."""
    counted = _build_tool_calls(summary)
    recorded = sum(len(turn.tool_calls) for turn in turns)
    if not turns or recorded >= len(counted):
        return turns, []
    *before, last = turns
    if recorded:
        why = f"{recorded} of {len(counted)} tool calls are in the recording"
        return (*before, agentv_turns.with_gaps(last, {Fact.TOOL_CALLS: why})), [why]
    why = "the row holds how often each tool was called only"
    last = agentv_turns.with_gaps(_add_counted_calls(last, counted), {Fact.TOOL_ANSWERS: why})
    return (*before, last), [_COUNTED_ONLY]


def _add_counted_calls(turn: Turn, counted: tuple[ToolCall, ...]) -> Turn:
    different = len({call.name for call in counted}) > 1
    return replace(turn, tool_calls=counted, unordered=different)


def _build_tool_call(name: str, durations: Any, at: int) -> ToolCall:
    known = durations if isinstance(durations, list) else []
    lasted = spoken_turns.duration_ns(known[at]) if at < len(known) else None
    return ToolCall(name=name, args=None, end_ns=lasted or 0, timed=lasted is not None)
