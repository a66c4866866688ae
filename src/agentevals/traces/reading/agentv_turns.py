"""Turns out of messages as AgentV records them, with the counts that it keeps beside them."""

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import msgspec
from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import ModelCall, ToolCall, Turn
from agentevals.traces.attribute_values import amount, arguments, parse_json, word
from agentevals.traces.chat_messages import ASSISTANT, SYSTEM, TOOL, USER
from agentevals.traces.reading import spoken_turns
from agentevals.traces.reading.fact_evidence import WHOLE_MESSAGES, Lacks, add_gaps, require

Fields = dict[str, Any]

_FAILED = frozenset({"error", "failed", "timeout", "cancelled"})
_CONTENTS = frozenset({"content", "tool_calls"})
_PIECES = frozenset({"text", "input_text", "output_text"})
_TOKENS = ("input", "output", "cached", "", "reasoning")


class Totals(msgspec.Struct, frozen=True):
    """Token counts, cost and time of a whole conversation."""

    usage: Fields = {}
    cost: float | None = None
    start_ns: int = 0
    end_ns: int = 0
    timed: bool = False
    model: str = ""
    agent: str = ""


def read_totals(row: Fields, *, usage: str, cost: str, duration: str, **more: str) -> Totals:
    """Return the counts in a row, under the names that they have there."""
    lasted = spoken_turns.duration_ns(row.get(duration))
    start, end = (spoken_turns.time_ns(row.get(key)) for key in ("start_time", "end_time"))
    if lasted is not None and not (start and end):
        end = start + lasted
    counts = row.get(usage)
    return Totals(
        usage=counts if isinstance(counts, dict) else {},
        cost=amount(row.get(cost)),
        start_ns=start if end else 0,
        end_ns=end,
        timed=lasted is not None,
        **more,
    )


def build_turns(
    messages: Iterable[Any], trace_id: str, told: Totals, *, asked: str = ""
) -> tuple[Turn, ...]:
    """A turn begins where the user speaks. Counts of the whole belong to the last request."""
    said = [m for m in messages if isinstance(m, dict) and m.get("role") != SYSTEM]
    for message in said:
        require(message, "role", of="a message")
    groups = spoken_turns.split_turns(said, lambda message: message.get("role") == USER)
    found = [_turn(group, trace_id, n, told) for n, group in enumerate(groups, start=1)]
    if not found:
        return ()
    found[0] = _add_question(found[0], asked)
    if len(found) == 1 and (told.end_ns or told.timed):
        start, end = told.start_ns, told.end_ns
        found[0] = replace(found[0], start_ns=start, end_ns=end, timed=told.timed and not end)
    return add_totals(spoken_turns.keep_order(found), told)


def _add_question(turn: Turn, asked: str) -> Turn:
    if turn.user or turn.find_gap(Fact.QUESTION):
        return turn
    if asked:
        return replace(turn, user=asked)
    return with_gaps(turn, {Fact.QUESTION: "nothing beside the answer says what was asked"})


def with_gaps(turn: Turn, lacks: Lacks) -> Turn:
    """Return the turn with these gaps beside those that it has; totals are told apart."""
    known = {gap.fact: gap.evidence for gap in turn.gaps}
    return add_gaps(turn, known | lacks, WHOLE_MESSAGES, totals=True)


def add_totals(found: Sequence[Turn], told: Totals) -> tuple[Turn, ...]:
    """Give the last request all tokens of the total that no other request has."""
    if not found or not (told.usage or told.cost is not None):
        return tuple(found)
    *before, last = found
    *others, final = last.model_calls or (ModelCall(model=told.model),)
    counted = [*chain.from_iterable(turn.model_calls for turn in before), *others]
    whole = spoken_turns.read_model_call(told.usage, _TOKENS, model=told.model or final.model)
    rest = {
        field: max(0, total - sum(getattr(call, field) or 0 for call in counted))
        for field in spoken_turns.COUNTS
        if (total := getattr(whole, field)) is not None
    }
    final = replace(whole, **rest, cost=told.cost) if told.usage else replace(final, cost=told.cost)
    return (*before, replace(last, model_calls=(*others, final)))


def read_text(content: Any) -> str | None:
    """Return the text of a content, the texts of its blocks, or else its JSON."""
    if content is None or isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [
        word(block.get("text")) or word(block.get("value"))
        for block in blocks
        if isinstance(block, dict) and word(block.get("type")) in _PIECES
    ]
    if texts:
        return "".join(texts)
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def find_question(messages: Any) -> str:
    """Return the last question of the user: one message, or several that follow each other."""
    if isinstance(messages, str):
        return messages
    run: list[str] = []
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == USER:
            run.append(read_text(message.get("content")) or "")
        elif run:
            break
    return "\n\n".join(reversed(run))


def _turn(group: list[Fields], trace_id: str, number: int, told: Totals) -> Turn:
    """The last message of the agent that has a content is its answer, be it an empty one."""
    own = [message for message in group if message.get("role") != USER]
    agents = [message for message in own if message.get("role") == ASSISTANT]
    contents = (read_text(message.get("content")) for message in agents)
    said = [content for content in contents if content is not None]
    times = [ns for m in group for k in ("start_time", "end_time") if (ns := _moment(m, k))]
    usages = [message.get("token_usage") for message in agents]
    requests = [spoken_turns.read_model_call(usage, _TOKENS, model=told.model) for usage in usages]
    turn = Turn(
        turn_id=f"{trace_id}/{number}",
        user=find_question(group[: len(group) - len(own)]) if len(own) < len(group) else "",
        response=said[-1] if said else None,
        tool_calls=_tool_calls(group),
        model_calls=tuple(requests),
        intermediate=tuple([each for each in said[:-1] if each]),
        messages=tuple(own),
        agent=told.agent,
        trace_id=trace_id,
        start_ns=min(times, default=0),
        end_ns=max(times, default=0),
    )
    return with_gaps(turn, _find_missing(group, turn.tool_calls))


def _find_missing(group: list[Fields], calls: Iterable[ToolCall]) -> Lacks:
    """Return what messages do not show that lack their content, or a part of it."""
    found: Lacks = {}
    for message in group:
        role, empty = message.get("role"), not (_CONTENTS & message.keys())
        why = "a message has no content" if empty else "a part of a message has no content"
        if role == USER and (empty or is_cut(message)):
            found[Fact.QUESTION] = why
        elif role == ASSISTANT and empty:
            found[Fact.TOOL_CALLS] = why
    agents = [message for message in group if message.get("role") == ASSISTANT]
    if agents and (is_cut(agents[-1]) or "content" not in agents[-1]):
        found[Fact.ANSWER] = "the last message has no content, or a part of it has none"
    if any(not call.answered and not call.failed for call in calls):
        found[Fact.TOOL_ANSWERS] = "a tool call has no output"
    return found


def is_cut(message: Fields) -> bool:
    """Return whether a part has no type, or no text although it is one."""
    content = message.get("content")
    parts = (
        [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    )
    return any(
        "type" not in part or (part["type"] in _PIECES and not ({"text", "value"} & part.keys()))
        for part in parts
    )


def _moment(fields: Fields, key: str) -> int:
    return spoken_turns.time_ns(fields.get(key))


def _tool_calls(messages: Iterable[Fields]) -> tuple[ToolCall, ...]:
    """Return the calls of all messages; a message of a tool may bring the answer to one of them."""
    calls: list[ToolCall] = []
    for message in messages:
        own = message.get("tool_calls")
        asked = own if isinstance(own, list) else []
        calls += [_call(raw) for raw in asked if isinstance(raw, dict)]
        answered = word(message.get("tool_call_id")) if message.get("role") == TOOL else ""
        for at, call in enumerate(calls):
            if answered and call.call_id == answered and not call.answered:
                response = parse_json(read_text(message.get("content")))
                calls[at] = replace(call, response=response, answered=True)
    return tuple(calls)


def _call(raw: Fields) -> ToolCall:
    """Return a call as AgentV writes it, or as OpenAI does; its arguments may be unknown."""
    function = raw.get("function")
    inner = function if isinstance(function, dict) else raw
    given = next((inner[key] for key in ("input", "arguments") if key in inner), None)
    lasted = spoken_turns.duration_ns(raw.get("duration_ms"))
    start, end = _moment(raw, "start_time"), _moment(raw, "end_time")
    if lasted is not None:
        end = start + lasted
    status = raw.get("status")
    return ToolCall(
        name=word(inner.get("tool")) or word(inner.get("name")),
        args=None if given is None else arguments(given),
        call_id=word(raw.get("id")) or None,
        response=raw.get("output"),
        answered="output" in raw,
        failed=isinstance(status, str) and status in _FAILED,
        start_ns=start,
        end_ns=end,
        # when it began and ended AgentV does not take for how long it took
        timed=lasted is not None,
    )
