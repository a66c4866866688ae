"""Chat transcripts: OpenAI-style messages, alone, by conversation, or one to a line."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ModelCall, Trace
from agentevals.traces.attribute_values import count, word
from agentevals.traces.chat_messages import ASSISTANT, SYSTEM, TOOL, USER, Message, parse_message
from agentevals.traces.reading import MalformedError, Record, spoken_turns
from agentevals.traces.reading.fact_evidence import Lacks, require
from agentevals.traces.reading.spoken_turns import RecordedMessage
from agentevals.traces.reading.trace_files_opened import Recording

_FORMAT = "a transcript"

_COLLECTIONS = ("conversations", "transcripts", "sessions")
_CONTENTS = frozenset({"content", "tool_calls", "function_call", "parts"})
_ELSEWHERE = ("refusal", "audio")  # what a message without content may hold
_SESSIONS = ("session_id", "conversation_id", "thread_id", "sessionId", "conversationId")
_NAMES = ("trace_id", "id", *_SESSIONS)
_CASES = ("case_id", "eval_id", "eval_case_id", "caseId", "evalId")
_TIMES = ("timestamp", "created_at", "time", "created")
_INPUTS, _OUTPUTS = ("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")

Fields = Mapping[str, Any]


def matches(record: Record) -> bool:
    """Return whether a record is a message, a conversation, or a collection of conversations."""
    return _is_message(record.document) or _conversations(record.document) is not None


def load(recording: Recording) -> Iterator[Trace]:
    """Yield a trace per conversation; lines that are single messages make one for each session."""
    loose: dict[str, list[Any]] = {}
    yield from recording.each(partial(_read, recording, loose))
    if "" in loose and len(loose) > 1:
        msg = "has messages without 'session_id' beside others that have one; add it to all"
        raise MalformedError(msg)
    for session, messages in loose.items():
        yield _trace(recording, {"messages": messages, "session_id": session}, recording.path.name)


def _read(recording: Recording, loose: dict[str, list[Any]], record: Record) -> Iterator[Trace]:
    if _is_message(record.document):
        loose.setdefault(_first(record.document, _SESSIONS), []).append(record.document)
        return
    found = _conversations(record.document)
    if found is None:
        raise record.unlike(_FORMAT)
    name = recording.path.name if record.line is None else f"{recording.path.name}:{record.line}"
    for number, fields in enumerate(found, start=1):
        yield _trace(recording, fields, name if len(found) == 1 else f"{name}:{number}")


def _is_message(document: Any) -> bool:
    if not isinstance(document, dict) or "messages" in document:
        return False
    return isinstance(document.get("role"), str) and bool(_CONTENTS & document.keys())


def _conversations(document: Any) -> list[Fields] | None:
    """Return the conversations in a value, each with its `messages`; None if there are none."""
    if isinstance(document, dict):
        inside = next((document[key] for key in _COLLECTIONS if key in document), None)
        found = _each(inside) if isinstance(inside, list) else None
        return found or _each([document])
    if not isinstance(document, list) or not document:
        return None
    return [{"messages": document}] if all(map(_is_message, document)) else _each(document)


def _each(items: list[Any]) -> list[Fields] | None:
    wrapped = [{"messages": item} if isinstance(item, list) else item for item in items]
    fits = wrapped and all(
        isinstance(item, dict)
        and isinstance(item.get("messages"), list)
        and all(isinstance(message, dict) for message in item["messages"][:1])
        for item in wrapped
    )
    return wrapped if fits else None


def _trace(recording: Recording, fields: Fields, name: str) -> Trace:
    trace_id = _first(fields, _NAMES) or name
    everything = [_read_message(raw, fields, at) for at, raw in enumerate(fields["messages"])]
    said = [each for each in everything if each.message.role != SYSTEM]
    turns = [
        spoken_turns.build_turn(group, turn_id=f"{trace_id}/{number}", trace_id=trace_id)
        for number, group in enumerate(
            spoken_turns.split_turns(said, spoken_turns.is_user), start=1
        )
    ]
    return Trace(
        trace_id=trace_id,
        turns=tuple(turns),
        session=_first(fields, _SESSIONS),
        case_id=_first(fields, _CASES),
        sources=(recording.name,),
    )


def _first(fields: Fields, keys: tuple[str, ...]) -> str:
    """Return the first of some names that has a value, also in the object `metadata`."""
    more = fields.get("metadata")
    places = (fields, more if isinstance(more, dict) else {})
    return next((text for place in places for key in keys if (text := word(place.get(key)))), "")


def _read_message(raw: Any, conversation: Fields, at: int) -> RecordedMessage:
    if not isinstance(raw, dict):
        msg = f"messages[{at}] is not an object; correct or remove it"
        raise MalformedError(msg)
    if "function_call" in raw and not raw.get("tool_calls"):
        raw = {**raw, "tool_calls": [raw["function_call"]]}
    if "type" not in raw:
        require(raw, "role", of=f"messages[{at}]")
    message = parse_message(raw, ASSISTANT)
    return RecordedMessage(
        message=message,
        lacks=_find_missing(raw, message),
        model_call=_model_call(raw, conversation) if message.role == ASSISTANT else None,
        time_ns=next((at for key in _TIMES if (at := spoken_turns.time_ns(raw.get(key)))), 0),
        failed=raw.get("is_error") is True or raw.get("status") == "error",
    )


def _find_missing(raw: dict[str, Any], message: Message) -> Lacks:
    """Return what a message does not show: it has no content, or one of which a part is cut."""
    empty = not (_CONTENTS & raw.keys() or message.text or message.asked or message.answers)
    why = "a message has no content" if empty else "a part of a message has no content"
    if message.role == USER and empty:
        require(raw, "content", of="a message of the user")
    if message.role == USER and message.is_cut:
        return {Fact.QUESTION: why, Fact.TOOL_ANSWERS: why}
    if message.role == TOOL:
        cut = "content" not in raw and "parts" not in raw
        return {Fact.TOOL_ANSWERS: "the message of a tool has no content"} if cut else {}
    if message.role == ASSISTANT and (empty or message.is_cut):
        return {Fact.ANSWER: why, Fact.TOOL_CALLS: why}
    said = message.asked or any(raw.get(key) for key in _ELSEWHERE)
    if message.role == ASSISTANT and raw.get("content", "") is None and not said:
        return {Fact.TOOL_CALLS: "a message holds neither a text nor a tool call"}
    return {}


def _model_call(raw: dict[str, Any], conversation: Fields) -> ModelCall:
    usage = raw.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return ModelCall(
        model=word(raw.get("model")) or word(conversation.get("model")),
        input_tokens=next((count(counts[key]) for key in _INPUTS if key in counts), None),
        output_tokens=next((count(counts[key]) for key in _OUTPUTS if key in counts), None),
    )
