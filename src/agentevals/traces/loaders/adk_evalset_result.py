"""ADK's `*.evalset_result.json`: what an agent did when ADK evaluated it."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ModelCall, Trace, Turn
from agentevals.traces import reading
from agentevals.traces.attribute_values import word
from agentevals.traces.chat_messages import ASSISTANT, TOOL, USER, Message, parse_message
from agentevals.traces.reading import MalformedError, Record, spoken_turns
from agentevals.traces.reading.fact_evidence import Lacks, add_gaps, require
from agentevals.traces.reading.spoken_turns import RecordedMessage
from agentevals.traces.reading.trace_files_opened import MALFORMED, Recording

_FORMAT = "adk-evalset-result"
_REMEDY = "Give the file as ADK wrote it, with all of its fields"
_TOKENS = (
    "prompt_token_count", "candidates_token_count", "cached_content_token_count", "",
    "thoughts_token_count",
)  # fmt: skip


def matches(record: Record) -> bool:
    """Return whether a record is a result, or a text that holds one, as older versions wrote it."""
    document = _unpack(record.document)
    return isinstance(document, dict) and _has(document, "eval_case_results")


def load(recording: Recording) -> Iterator[Trace]:
    """Return a trace for every run of every case."""
    return recording.each(partial(_read, recording))


def _read(recording: Recording, record: Record) -> Iterator[Trace]:
    document = _unpack(record.document)
    if not isinstance(document, dict) or not _has(document, "eval_case_results"):
        raise record.unlike(_FORMAT)
    name = word(_get(document, "eval_set_result_id")) or recording.path.name
    for at, case in enumerate(_array(document, "eval_case_results")):
        try:
            yield _trace(recording, case, name)
        except MALFORMED as error:
            recording.skip(f"eval_case_results[{at}]", error, line=record.line)


def _unpack(document: Any) -> Any:
    if not isinstance(document, str):
        return document
    try:
        return reading.read(document.encode())
    except ValueError:
        return None


def _trace(recording: Recording, case: Any, name: str) -> Trace:
    if not isinstance(case, dict):
        msg = "expected an object"
        raise MalformedError(msg)
    case_id, session = word(_get(case, "eval_id")), word(_get(case, "session_id"))
    trace_id = session or f"{name}/{case_id}"
    results = _items(case, "eval_metric_result_per_invocation")
    for result in results:
        _require(result, "actual_invocation", of="the result of an invocation")
    invocations = [_object(result, "actual_invocation") for result in results]
    if not invocations:
        invocations = _group_events(_items(_object(case, "session_details"), "events"))
    return Trace(
        trace_id=trace_id,
        turns=tuple([_turn(invocation, trace_id) for invocation in invocations]),
        session=session,
        case_id=case_id,
        sources=(recording.name,),
    )


def _group_events(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the invocations of a session, for a case that no metric looked at turn by turn."""
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        _require(event, "invocation_id", of="an event")
        _require(event, "author", of="an event")
        _require(event, "content", of="an event")
        key = word(_get(event, "invocation_id"))
        invocation = found.setdefault(
            key, {"invocation_id": key, "intermediate_data": {"invocation_events": []}}
        )
        content = _get(event, "content")
        if event.get("author") == USER:
            invocation["user_content"] = content
        elif _text(content) and not _message(content).asked:
            invocation["final_response"] = content
        else:
            invocation["intermediate_data"]["invocation_events"].append(event)
    return list(found.values())


def _turn(invocation: dict[str, Any], trace_id: str) -> Turn:
    """The response is what ADK says it is, and nothing that was said on the way to it."""
    final = _get(invocation, "final_response")
    data = _object(invocation, "intermediate_data")
    said = list(_list_steps(data))
    turn_id = word(_get(invocation, "invocation_id"))
    start = spoken_turns.time_ns(_get(invocation, "creation_timestamp"))
    took = _get(invocation, "duration")
    end = start + int(took * 1e9) if isinstance(took, int | float) else 0  # it is not known
    turn = replace(
        spoken_turns.build_turn(said, turn_id=turn_id, trace_id=trace_id),
        user=_text(_get(invocation, "user_content")),
        response=None if final is None else _text(final),
        intermediate=spoken_turns.list_answers(said),
        invocation=invocation,
        start_ns=start,
        end_ns=end,
        gaps=(),
    )
    return add_gaps(turn, _find_missing(invocation, data), _REMEDY, null_args=True)


def _find_missing(invocation: dict[str, Any], data: dict[str, Any]) -> Lacks:
    """Return the facts without a field. ADK writes every field, null where there is nothing."""
    found: Lacks = {}
    for name, fact in (("user_content", Fact.QUESTION), ("final_response", Fact.ANSWER)):
        content = _get(invocation, name)
        if not _has(invocation, name) or _is_cut(content):
            found[fact] = f"the invocation has no {name!r}, or a part of it is empty"
    if not (_has(data, "invocation_events") or _has(data, "tool_uses")):
        found[Fact.TOOL_CALLS] = "the invocation has no 'intermediate_data'"
    elif _items(data, "tool_uses") and not _has(data, "tool_responses"):
        found[Fact.TOOL_ANSWERS] = "the invocation has no 'tool_responses'"
    events = _items(data, "invocation_events")
    contents = [_get(event, "content") for event in events]
    if any(not _has(event, "content") for event in events) or any(map(_is_cut, contents)):
        found[Fact.TOOL_CALLS] = "an event has no content, or a part of it is empty"
    parts = [part for content in contents for part in _list_parts(content)]
    calls = [*_items(data, "tool_uses"), *_select(parts, "function_call")]
    answers = [*_items(data, "tool_responses"), *_select(parts, "function_response")]
    return found | _find_in_fields(calls, answers)


def _find_in_fields(calls: list[dict[str, Any]], answers: list[dict[str, Any]]) -> Lacks:
    found: Lacks = {}
    if any("name" not in call for call in calls):
        found[Fact.TOOL_CALLS] = "a tool call has no name"
    if any("args" not in call for call in calls):
        found[Fact.ARGUMENTS] = "a tool call has no 'args'"
    if any("response" not in answer for answer in answers):
        found[Fact.TOOL_ANSWERS] = "the answer of a tool has no 'response'"
    return found


def _list_parts(content: Any) -> list[dict[str, Any]]:
    return _items(content, "parts") if isinstance(content, dict) else []


def _select(parts: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    found = [_get(part, name) for part in parts]
    return [each for each in found if isinstance(each, dict)]


def _is_cut(content: Any) -> bool:
    """Return whether a content lacks its parts, or a part has nothing in it."""
    if not isinstance(content, dict):
        return False
    return "parts" not in content or any(
        all(value is None or key == "thought" for key, value in part.items())
        for part in _list_parts(content)
    )


def _list_steps(data: dict[str, Any]) -> Iterator[RecordedMessage]:
    """Yield the steps between question and answer, in either of the two ways to write them."""
    for event in _items(data, "invocation_events"):
        yield RecordedMessage(_message(_get(event, "content")), model_call=_model_call(event))
    for response in _array(data, "intermediate_responses"):
        if response and isinstance(response, list):  # of the author and the parts
            said = _text({"parts": response[-1]})  # calls stand in 'tool_uses'
            yield RecordedMessage(_message({"role": ASSISTANT, "parts": [{"text": said}]}))
    calls, answers = _items(data, "tool_uses"), _items(data, "tool_responses")
    yield RecordedMessage(
        _message({"role": ASSISTANT, "parts": [{"function_call": c} for c in calls]})
    )
    yield RecordedMessage(
        _message({"role": TOOL, "parts": [{"function_response": a} for a in answers]})
    )


def _message(content: Any) -> Message:
    message = parse_message(content, ASSISTANT) if isinstance(content, dict) else Message(ASSISTANT)
    message.text = _text(content)
    called = [call for call in _select(_list_parts(content), "function_call") if call.get("name")]
    message.asked = [  # null is not the same as no arguments
        asked if call.get("args") is not None else replace(asked, args=None)
        for asked, call in zip(message.asked, called, strict=True)
    ]
    return message


def _text(content: Any) -> str:
    """Parts are lines of their own to ADK, and what the model only thought is one of them."""
    parts = _items(content, "parts") if isinstance(content, dict) else []
    return "\n".join([word(part.get("text")) for part in parts if part.get("text")])


def _model_call(event: dict[str, Any]) -> ModelCall | None:
    usage = _object(event, "usage_metadata")
    if not usage:
        return None
    counts = {name: _get(usage, name) for name in _TOKENS}
    return spoken_turns.read_model_call(counts, _TOKENS, model=word(_get(event, "model_version")))


def _require(raw: dict[str, Any], name: str, *, of: str) -> None:
    if not _has(raw, name):
        require(raw, name, of=of)


def _has(raw: dict[str, Any], name: str) -> bool:
    return name in raw or _camel(name) in raw


def _get(raw: dict[str, Any], name: str) -> Any:
    """Return a field in the spelling of files, or in that of ADK's web API."""
    value = raw.get(name)
    return raw.get(_camel(name)) if value is None else value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join([part.capitalize() for part in rest])


def _object(raw: dict[str, Any], name: str) -> dict[str, Any]:
    value = _get(raw, name)
    if value is not None and not isinstance(value, dict):
        msg = f"expected an object - at `$.{name}`"
        raise MalformedError(msg)
    return value or {}


def _array(raw: dict[str, Any], name: str) -> list[Any]:
    value = _get(raw, name)
    if value is not None and not isinstance(value, list):
        msg = f"expected an array - at `$.{name}`"
        raise MalformedError(msg)
    return value or []


def _items(raw: dict[str, Any], name: str) -> list[dict[str, Any]]:
    items = _array(raw, name)
    if not all(isinstance(item, dict) for item in items):
        msg = f"expected an array of objects - at `$.{name}`"
        raise MalformedError(msg)
    return items
