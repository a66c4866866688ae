"""Turns, for the formats that record what was said and not how long it took."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ModelCall, ToolCall, Turn
from agentevals.traces.attribute_values import amount, count
from agentevals.traces.chat_messages import ASSISTANT, USER, Answer, Message
from agentevals.traces.reading.fact_evidence import WHOLE_MESSAGES, Lacks, add_gaps

_NS_PER_S = 10**9
_NS_PER_MS = 10**6
_LATEST_S = 10**11  # a larger number of seconds would be milliseconds
_LAST_S = 9 * 10**9  # in nanoseconds no number of 64 bits goes much further
_LONGEST_MS = 10**11

COUNTS = (
    "input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens",
    "reasoning_tokens",
)  # fmt: skip

Said = TypeVar("Said")


class RecordedMessage(msgspec.Struct):
    """A message, and what was recorded about it."""

    message: Message
    model_call: ModelCall | None = None
    time_ns: int = 0
    failed: bool = False
    lacks: Lacks = {}


def split_turns(said: Iterable[Said], is_user: Callable[[Said], bool]) -> list[list[Said]]:
    """Split what was said: a turn begins where the user speaks after somebody else did."""
    turns: list[list[Said]] = []
    for each in said:
        begins = is_user(each) and not (turns and all(map(is_user, turns[-1])))
        if begins or not turns:
            turns.append([])
        turns[-1].append(each)
    return turns


def build_turn(
    said: Sequence[RecordedMessage], *, turn_id: str, trace_id: str, remedy: str = WHOLE_MESSAGES
) -> Turn:
    """The last thing the agent said is its response."""
    texts = list_answers(said)
    times = [each.time_ns for each in said if each.time_ns]
    turn = Turn(
        turn_id=turn_id,
        user="".join([each.message.text for each in said if is_user(each)]),
        response=texts[-1] if texts else None,
        tool_calls=_tool_calls(said),
        model_calls=tuple([each.model_call for each in said if each.model_call]),
        intermediate=texts[:-1],
        trace_id=trace_id,
        start_ns=min(times, default=0),
        end_ns=max(times, default=0),
    )
    return add_gaps(turn, _find_missing(said, len(times)), remedy)


def _find_missing(said: Sequence[RecordedMessage], timed: int) -> Lacks:
    """Return what the messages lack. The answer is the last one's, so that one decides."""
    found: Lacks = {}
    for each in said:
        found |= {fact: why for fact, why in each.lacks.items() if fact is not Fact.ANSWER}
        if each.message.has_nameless_call:
            found[Fact.TOOL_CALLS] = "a tool call has no name"
    last = next((each for each in reversed(said) if each.message.role == ASSISTANT), None)
    if last is not None and Fact.ANSWER in last.lacks:
        found[Fact.ANSWER] = last.lacks[Fact.ANSWER]
    if 0 < timed < len(said):
        found[Fact.TIME] = "a message has no time, and others have one"
    asked = sum(len(each.message.asked) for each in said)
    answered = sum(len(each.message.answers) for each in said)
    if _have_some_ids(said):
        found[Fact.TOOL_ANSWERS] = "a call or its answer has no id, and others have one"
    if answered > asked and Fact.TOOL_CALLS not in found:
        found[Fact.TOOL_CALLS] = "a tool has answered, and nothing has called it"
    return found


def _have_some_ids(said: Iterable[RecordedMessage]) -> bool:
    """Return whether some of several calls and answers have an id, so that order says nothing."""
    messages = [each.message for each in said]
    asked = [bool(call.call_id) for message in messages for call in message.asked]
    answered = [bool(answer.call_id) for message in messages for answer in message.answers]
    return len(asked) > 1 and len({*asked, *answered}) > 1


def read_model_call(usage: Any, names: Sequence[str], **known: Any) -> ModelCall:
    """Return a request with the tokens that were counted; `names` are those of `COUNTS` there."""
    counts = usage if isinstance(usage, dict) else {}
    tokens = {field: count(counts.get(name)) for field, name in zip(COUNTS, names, strict=False)}
    known |= {field: number for field, number in tokens.items() if number is not None}
    return ModelCall(**known)


def keep_order(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return turns that stay in this order when they are sorted by when they began.

    One without a time begins with the one before it, one of a clock that was set back as well.
    """
    latest, found = 0, []
    for each in turns:
        latest = max(latest, each.start_ns)
        found.append(each if each.start_ns == latest else replace(each, start_ns=latest))
    return tuple(found)


def list_answers(said: Iterable[RecordedMessage]) -> tuple[str, ...]:
    """Return the texts of the agent, in order."""
    messages = (each.message for each in said)
    return tuple([m.text for m in messages if m.role == ASSISTANT and m.text])


def time_ns(recorded: Any) -> int:
    """Return a moment written as seconds, milliseconds or in ISO 8601; 0 for anything else."""
    if isinstance(recorded, str):
        try:
            moment = datetime.fromisoformat(recorded)
        except ValueError:
            return 0
        recorded = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if isinstance(recorded, bool) or not isinstance(recorded, int | float):
        return 0
    seconds = recorded if recorded < _LATEST_S else recorded / 1000
    return int(seconds * _NS_PER_S) if 0 < seconds < _LAST_S else 0


def duration_ns(milliseconds: Any) -> int | None:
    """Return a duration written in milliseconds; None for anything that cannot be one."""
    lasted = amount(milliseconds)
    return int(lasted * _NS_PER_MS) if lasted is not None and lasted < _LONGEST_MS else None


def is_user(said: RecordedMessage) -> bool:
    """Return whether the user says something."""
    return said.message.role == USER and bool(said.message.text)


def _tool_calls(said: Sequence[RecordedMessage]) -> tuple[ToolCall, ...]:
    calls: list[ToolCall] = []
    by_order = not _have_some_ids(said)
    for each in said:
        calls += [
            ToolCall(name=asked.name, args=asked.args, call_id=asked.call_id)
            for asked in each.message.asked
        ]
        for answer in each.message.answers:
            at = _find_call(answer, calls, by_order=by_order)
            if at is not None:
                calls[at] = replace(
                    calls[at], response=answer.value, answered=True, failed=each.failed
                )
    return tuple(calls)


def _find_call(answer: Answer, calls: Sequence[ToolCall], *, by_order: bool) -> int | None:
    """Return the open call with the id of the answer; without ids, the first one of that name."""
    unanswered = [at for at, call in enumerate(calls) if not call.answered]
    if answer.call_id:
        same = [at for at in unanswered if calls[at].call_id == answer.call_id]
        if same or all(calls[at].call_id for at in unanswered):
            return same[0] if same else None
    if not by_order:
        return None
    named = [at for at in unanswered if not answer.name or calls[at].name == answer.name]
    return named[0] if named else None
