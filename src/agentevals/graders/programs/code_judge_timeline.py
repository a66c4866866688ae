"""When something happened in a conversation, and in which order, as AgentV tells programs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from agentevals.graders.judged_messages import measure_call_ms
from agentevals.model.conversations import ToolCall, Turn

Record = dict[str, Any]

_MS, _SECOND = 1_000_000, 1_000_000_000
_OF_A_CALL = ("input", "output")


def format_moment(ns: int) -> str | None:
    """Return a time as text; nothing where it is not known."""
    if ns <= 0:
        return None
    try:
        moment = datetime.fromtimestamp(ns / _SECOND, UTC)
    except (OverflowError, ValueError, OSError):
        return None  # a clock that was wrong by centuries
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def measure_call(call: ToolCall) -> float | None:
    """Return the milliseconds a call took, be it between the times of its begin and its end."""
    took = measure_call_ms(call)
    if took is None and 0 < call.start_ns <= call.end_ns:
        return (call.end_ns - call.start_ns) / _MS
    return took


def find_span(turns: Sequence[Turn]) -> tuple[int, int]:
    """Return when the first thing began and the last one ended; 0 where nobody knows."""
    spans = [(turn.start_ns, turn.end_ns) for turn in turns]
    spans += [(call.start_ns, call.end_ns) for turn in turns for call in turn.tool_calls]
    timed = [span for span in spans if span[0] > 0]
    start = min((first for first, _ in timed), default=0)
    return start, max((last for _, last in timed), default=0)


def add_times(messages: Iterable[Record], turns: Sequence[Turn]) -> list[Record]:
    """Return the messages, with the times of their calls where the recording knows them."""
    calls = iter([call for turn in turns for call in turn.tool_calls])
    return [_add_times_of_calls(message, calls) for message in messages]


def _add_times_of_calls(message: Record, calls: Iterator[ToolCall]) -> Record:
    told = message.get("tool_calls")
    if not isinstance(told, list):
        return message
    known = [(one, next(calls, None)) for one in told if isinstance(one, dict)]
    return {**message, "tool_calls": [_add_times_of_call(one, call) for one, call in known]}


def _add_times_of_call(told: Record, call: ToolCall | None) -> Record:
    """Seed releases call the time of a call `timestamp`; later ones have start and end."""
    if call is None or call.start_ns <= 0:
        return told
    start, end = format_moment(call.start_ns), format_moment(call.end_ns)
    times = {"timestamp": told.get("start_time") or start, "start_time": start, "end_time": end}
    return {key: value for key, value in times.items() if value is not None} | told


def list_events(messages: Sequence[Record], end: str | None) -> list[Record]:
    """List messages, calls and what they returned, one after the other, as 4.42 does."""
    found = [event for at, said in enumerate(messages) for event in _list_of_message(said, at)]
    spoken = [at for at, said in enumerate(messages) if _is_answer(said)]
    if spoken:
        last = spoken[-1]
        said = messages[last]
        when = said.get("end_time") or said.get("start_time") or end
        parts = {"timestamp": when, "message": _keep(said, ("role", "content"))}
        kind, parent = "final_response", f"message-{last}"
        found.append(_build("final-response", kind, parts, {"message_index": last}, parent))
    return [event | {"ordinal": number} for number, event in enumerate(found)]


def _is_answer(message: Record) -> bool:
    return message.get("role") == "assistant" and message.get("content") is not None


def _list_of_message(message: Record, at: int) -> Iterator[Record]:
    name, place = f"message-{at}", {"message_index": at}
    parts = {
        "timestamp": message.get("start_time"),
        "message": _keep(message, ("role", "name", "content")),
    }
    yield _build(name, "message", parts, place)
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            place = {"message_index": at, "tool_index": number}
            yield from _list_of_call(call, f"{name}-tool-{number}", place, name)


def _list_of_call(call: Record, name: str, place: Record, parent: str) -> Iterator[Record]:
    tool = {"name": call.get("tool"), "call_id": call.get("id"), **_keep(call, _OF_A_CALL)}
    tool = _drop_unknown(tool) | {"status": call.get("status") or "ok"}
    times = {"timestamp": call.get("start_time"), "duration_ms": call.get("duration_ms")}
    yield _build(name, "tool_call", {**times, "tool": tool}, place, parent)
    if "output" in call:
        back = {key: value for key, value in tool.items() if key != "input"}
        parts = {"timestamp": call.get("end_time"), "tool": back}
        yield _build(f"{name}-result", "tool_result", parts, place, name)


def _build(
    name: str, kind: str, parts: Record, place: Mapping[str, int], parent: str | None = None
) -> Record:
    named = {"event_id": name, "parent_event_id": parent, "type": kind}
    return _drop_unknown(named | parts) | {"metadata": dict(place)}


def _keep(record: Record, keys: Iterable[str]) -> Record:
    return {key: record[key] for key in keys if key in record}


def _drop_unknown(record: Record) -> Record:
    return {key: value for key, value in record.items() if value is not None}
