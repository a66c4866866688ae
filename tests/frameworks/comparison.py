"""What we read of a recording beside what was really said: every fact, in its order."""

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentevals.model.completeness import HIDDEN_REQUESTS, Fact
from agentevals.model.conversations import ModelCall, ToolCall, Turn
from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.frameworks.script import FIRST, REQUEST

_NOTHING = frozenset({"", "None", "null"})
_SILENT = "completed with no output)"
_ERROR = "order 0 does not exist"
AGENT, FAILURE = "name of the agent", "failure of a tool"
CALLER, TEXTS = "agent of a call", "texts on the way"
MEMBERS = "conversation of the turns"


@dataclass
class Reading:
    """How a scenario was read: what is wrong, and what the recording does not show."""

    wrong: list[str] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)


def read(path: Path) -> list[Turn]:
    """The turns in a file, in the order of time."""
    recordings = loaders.load([path])
    turns = [turn for each in converse(recordings.traces) for turn in each.turns]
    return sorted(turns, key=lambda turn: turn.start_ns)


def compare_file(path: Path, said: Sequence[dict[str, Any]]) -> Reading:
    """Hold the turns in a file against what was said, and what of them is one conversation."""
    reading = compare(read(path), said)
    grouped = converse(loaders.load([path]).traces, group_by="conversation")
    sizes = [len(each.turns) for each in grouped if each.turns]
    if len(said) > 1 and sizes == [1] * len(said):
        reading.missing.add(MEMBERS)
    elif len(said) > 1 and sizes != [len(said)]:
        reading.wrong.append(f"conversations of {sizes} turns, and there was one of {len(said)}")
    return reading


def compare_scattered(path: Path, said: Sequence[dict[str, Any]]) -> Reading:
    """Hold turns that are only parts of those that were: what one tells must be in one of them."""
    reading = Reading(missing={"arguments", "tool answers", AGENT, MEMBERS, TEXTS, "tokens"})
    for number, turn in enumerate(read(path), start=1):
        reading.missing |= {gap.fact.value.replace("_", " ") for gap in turn.gaps}
        truths = [t for t in said if turn.user.strip() in {t["question"], REQUEST}]
        asked = [r for truth in truths for r in truth["requests"]]
        told = [normalise(each) for t in truths for each in (t["answer"], *_list_texts(asked))]
        if not turn.find_gap(Fact.QUESTION) and not truths:
            reading.wrong.append(f"turn {number}: question: {turn.user!r} was never asked")
        if not turn.find_gap(Fact.ANSWER) and normalise(turn.response) not in told:
            reading.wrong.append(f"turn {number}: answer: {turn.response!r} was never said")
        calls = [call["name"] for request in asked for call in request["calls"]]
        if not turn.find_gap(Fact.TOOL_CALLS) and [c.name for c in turn.tool_calls] != calls:
            reading.wrong.append(f"turn {number}: calls: {turn.tool_calls!r}, and it was {calls}")
    return reading


def _list_texts(requests: Sequence[dict[str, Any]]) -> list[str]:
    return [each["text"] for each in requests if each["text"]]


def compare(turns: Sequence[Turn], said: Sequence[dict[str, Any]]) -> Reading:
    """Hold the turns against what was said. A fact that is said to be unknown is never wrong."""
    reading = Reading()
    if len(turns) != len(said):
        reading.wrong.append(f"{len(turns)} turns, and there were {len(said)}")
    for number, (turn, truth) in enumerate(zip(turns, said, strict=False), start=1):
        reading.missing |= {gap.fact.value.replace("_", " ") for gap in turn.gaps}
        for what, read_as, really in _compare_turn(turn, truth, reading):
            if read_as != really:
                reading.wrong.append(f"turn {number}: {what}: {read_as!r}, and it was {really!r}")
    return reading


_Compared = Iterator[tuple[str, Any, Any]]


def _compare_turn(turn: Turn, truth: dict[str, Any], reading: Reading) -> _Compared:
    if not turn.find_gap(Fact.QUESTION):
        yield "question", turn.user.strip(), truth["question"]
    silent = "raised" in truth and turn.response is None  # nobody was told what the model said
    if not turn.find_gap(Fact.ANSWER) and not silent:
        yield "answer", normalise(turn.response), normalise(truth["answer"])
    if not turn.find_gap(Fact.TOOL_CALLS):
        yield from _compare_calls(turn, truth, reading)
    yield from _compare_requests(turn, truth, reading)
    if turn.agent:
        yield "agent", turn.agent, truth["requests"][0].get("agent", FIRST)
    else:
        reading.missing.add(AGENT)
    if not turn.start_ns < turn.end_ns:
        yield "time", (turn.start_ns, turn.end_ns), "more than nothing"


def _compare_calls(turn: Turn, truth: dict[str, Any], reading: Reading) -> _Compared:
    asked = [
        call | {"agent": request.get("agent", FIRST)}
        for request in truth["requests"]
        for call in request["calls"]
    ]
    yield "calls", [call.name for call in turn.tool_calls], [call["name"] for call in asked]
    unknown = {gap.fact for gap in turn.gaps}
    for call, really in zip(turn.tool_calls, asked, strict=False):
        if call.name != really["name"]:
            continue
        if Fact.ARGUMENTS not in unknown:
            yield f"arguments of {call.name}", call.args, really["args"]
        if Fact.TOOL_ANSWERS not in unknown and really["id"] in truth["told"]:
            told = normalise(truth["told"][really["id"]])
            response = call.error if call.failed and call.response is None else call.response
            yield f"answer of {call.name}", _find_error(response, told), told
        yield from _compare_callers(f"agent of {call.name}", call, really["agent"], reading)
        if call.call_id:
            yield f"id of {call.name}", call.call_id, really["id"]
        fails = call.name.endswith("cancel_order")
        if fails and not call.failed:
            reading.missing.add(FAILURE)
        elif not fails:
            yield f"failure of {call.name}", call.failed, False


def _compare_requests(turn: Turn, truth: dict[str, Any], reading: Reading) -> _Compared:
    counts = [(call.input_tokens, call.output_tokens) for call in turn.model_calls]
    if not counts:  # it has no span, and no evaluator of ours counts what was asked of a model
        reading.missing |= {"tokens", TEXTS}
        return
    tokens = turn.find_gap(Fact.TOKENS)
    hidden = tokens is not None and tokens.evidence in HIDDEN_REQUESTS
    if not hidden:
        yield "model calls", len(counts), len(truth["requests"])
    for call, request in zip(turn.model_calls, truth["requests"], strict=False):
        name = request.get("agent", FIRST)
        yield from _compare_callers("agent of a request", call, name, reading)
    really = [tuple(each["tokens"] or (None, None)) for each in truth["requests"]]
    if tokens or (all(count == (None, None) for count in counts) and counts != really):
        reading.missing.add("tokens")
    else:
        yield "tokens", counts, really
    if not turn.find_gap(Fact.ANSWER) and not turn.find_gap(Fact.TOOL_CALLS) and not hidden:
        texts = _list_texts(truth["requests"])
        answers = bool(texts) and normalise(texts[-1]) == normalise(truth["answer"])
        between = texts[:-1] if answers else texts
        if len(turn.intermediate) < len(between) and _are_among(turn.intermediate, between):
            reading.missing.add(TEXTS)
        else:
            yield TEXTS, list(turn.intermediate), between


def _are_among(some: Sequence[str], every: Sequence[str]) -> bool:
    """Whether all of some texts are among others, in the same order."""
    left = iter(every)
    return all(text in left for text in some)


def _compare_callers(
    what: str, call: ToolCall | ModelCall, really: str, reading: Reading
) -> _Compared:
    if call.agent:
        yield what, call.agent, really
    elif really != FIRST:
        reading.missing.add(CALLER)


def _find_error(response: Any, told: Any) -> Any:
    """A framework puts words of its own around what a tool has failed with, or for nothing."""
    if normalise(response) is None and str(told).endswith(_SILENT):
        return told
    fails = _ERROR in str(response) and _ERROR in str(told)
    return told if fails else normalise(response)


def normalise(value: Any) -> Any:
    """A value as data: JSON or what Python prints of it in a text; nothing is None."""
    if isinstance(value, str):
        value = value.strip()
        for decode in (json.loads, ast.literal_eval):
            try:
                found = decode(value)
            except (ValueError, SyntaxError):
                continue
            return normalise(found) if isinstance(found, dict | list | str) else _drop(value)
    if isinstance(value, dict) and set(value) == {"result"}:
        return normalise(value["result"])
    return _drop(value)


def _drop(value: Any) -> Any:
    return None if value == [] or (isinstance(value, str) and value in _NOTHING) else value
