"""Decisions about calls and the answers of tools: 2.15 to 2.18 and 7.4."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tests.conformance.agentevals_model.inputs import Inputs, read_text
from tests.conformance.agentevals_model.picture import Picture, Told
from tests.conformance.agentevals_model.recorded import ARGUMENTS, RESULTS, Call, Part, Span, decode
from tests.conformance.agentevals_model.turns import Turn

_RESULT, _ADK_RESULT = RESULTS
_JOINED = "tool {} result joined from message parts by name (call ids differ)"


def pair_by_position(picture: Picture, inputs: Inputs) -> None:
    """2.15: an answer that equals an earlier one, or has its id, is kept; so is an empty one."""
    for invocation, turn in picture.list_turns(inputs):
        pairs = turn.list_answers()
        if _are_mistaken([part for _, part in pairs], turn.past_answers):
            invocation["intermediate_steps"]["tool_responses"] = list(_list_answered(turn, pairs))
    for trace, group in zip(picture.traces, inputs.groups, strict=False):
        told = [part for turn in group.turns for _, part in turn.list_answers()]
        if _are_mistaken(told):
            joined = {_JOINED.format(name) for turn in group.turns for name in _list_joined(turn)}
            others = [w for w in trace["conversion_warnings"] if not w.endswith(_JOINED[-30:])]
            trace["conversion_warnings"] = sorted({*others, *joined})


def _list_joined(turn: Turn) -> Iterator[str]:
    """The tools whose spans lack what a message tells, and have no id to find it by."""
    for (call, part), span in zip(turn.list_answers(), turn.tools, strict=False):
        bare = _RESULT not in span.attributes and _ADK_RESULT not in span.attributes
        if bare and not call.id and part.get("response") is not None:
            yield call.name


def _are_mistaken(parts: list[Part], past: Sequence[Part] = ()) -> bool:
    """Whether agentevals-cli takes one of the answers for another, or for none."""
    keys = [_identify(part) for part in parts]
    again = len(set(keys)) < len(keys) or not set(keys).isdisjoint(map(_identify, past))
    empty = (not p.get("id") and repr(p.get("response")) in _EMPTY_ANSWERS for p in parts)
    return again or any(empty)


def _identify(part: Part) -> Any:
    """What agentevals-cli knows an answer by."""
    return part.get("id") or (part.get("name"), repr(part.get("response")))


_EMPTY_ANSWERS = frozenset({"None", "''", "{}", "[]"})


def _list_answered(turn: Turn, pairs: list[tuple[Call, Part]]) -> Iterator[Told]:
    """The answer of each call: that of its span, else that of its message."""
    spans: list[Span | None] = [*turn.tools] if turn.tools else [None] * len(pairs)
    for (call, part), span in zip(pairs, spans, strict=True):
        own = _decode(_find_result(span)) if span else None
        response = _decode(part.get("response")) if own is None else own
        failed = span is not None and span.failed
        if response is not None or failed:
            status = "error" if failed else None
            told = {"name": call.name, "output": _write(response), "status": status}
            yield told | {"id": call.id, "response": response}


def _find_result(span: Span) -> Any:
    return next((span.attributes[key] for key in RESULTS if key in span.attributes), None)


def _decode(value: Any) -> Any:
    """The JSON in a text; the text `null` is one."""
    found = decode(value)
    return value if found is None else found


def keep_texts(picture: Picture, inputs: Inputs) -> None:
    """2.16: a text that a tool of ADK has answered is that text, be it a number or empty."""
    for invocation, turn in picture.list_turns(inputs):
        told = invocation["intermediate_steps"]["tool_responses"]
        for entry, span in _find_spans(told, turn):
            answer = decode(span.attributes.get(_ADK_RESULT))
            if isinstance(answer, str) and answer != span.attributes[_ADK_RESULT]:
                entry["response"] = entry["output"] = answer
    for trace, group in zip(picture.traces, inputs.groups, strict=False):
        tools = [tool for turn in group.turns for tool in turn.tools]
        joined = {_JOINED.format(name) for name in _list_emptied(tools)}
        trace["conversion_warnings"] = [
            warning for warning in trace["conversion_warnings"] if warning not in joined
        ]


def _find_spans(told: list[Told], turn: Turn) -> Iterator[tuple[Told, Span]]:
    """Each answer with its span: those of one name and id are in the same order."""
    seen: Counter[tuple[str, str | None]] = Counter()
    for entry in told:
        key = (entry["name"], entry["id"])
        same = [tool for tool in turn.tools if (_name(tool), _find_id(tool)) == key]
        if seen[key] < len(same):
            yield entry, same[seen[key]]
        seen[key] += 1


def _name(tool: Span) -> str:
    return str(tool.attributes.get("gen_ai.tool.name", ""))


def _find_id(tool: Span) -> str | None:
    return tool.attributes.get("gen_ai.tool.call.id")


def _list_emptied(tools: list[Span]) -> Iterator[str]:
    """Tools without ids of which an empty text was taken for no answer, and no answer lacks."""
    for name in {_name(tool) for tool in tools}:
        nameless = [tool for tool in tools if _name(tool) == name and _find_id(tool) is None]
        told = [tool.attributes.get(_ADK_RESULT) for tool in nameless]
        if '""' in told and None not in told:
            yield name


def write_words(picture: Picture, inputs: Inputs) -> None:
    """2.17: words stay readable in the text of an answer, whatever their letters."""
    for sent in picture.sent:
        for invocation in (*sent["invocations"], *(sent["expected_invocations"] or ())):
            for entry in invocation["intermediate_steps"]["tool_responses"]:
                if isinstance(entry.get("response"), dict | list):
                    entry["output"] = _write(entry["response"])


def _write(response: Any) -> str:
    if response is None or isinstance(response, str):
        return response or ""
    return json.dumps(response, sort_keys=True, ensure_ascii=False)


def drop_empty_arguments(picture: Picture, inputs: Inputs) -> None:
    """2.18: arguments that are an empty text, or null, are none, in a span as in a message."""
    for calls, turn in _list_calls(picture, inputs):
        _empty(calls, turn)


_EMPTY = (("", '""'), ("null", "null"))  # as they were read there, and as they were recorded


def _empty(calls: list[Told], turn: Turn) -> None:
    given = {(_name(tool), tool.attributes.get(key)) for tool in turn.tools for key in ARGUMENTS}
    for call in calls:
        for value, written in _EMPTY:
            if call["args"] == {"value": value} and (call["name"], written) in given:
                call["args"] = {}


def keep_text_arguments(picture: Picture, inputs: Inputs) -> None:
    """2.20: a text in place of the arguments is their value, in a message as in a span."""
    for calls, turn in _list_calls(picture, inputs):
        _keep_text(calls, turn)


def _list_calls(picture: Picture, inputs: Inputs) -> Iterator[tuple[list[Told], Turn]]:
    """Yield the calls of each turn wherever they are told: in what was sent, and compared."""
    for invocation, turn in picture.list_turns(inputs):
        yield invocation["intermediate_steps"]["tool_calls"], turn
    for _, comparisons in picture.list_comparisons():
        for comparison in comparisons:
            turn = inputs.find_turn(comparison["invocation_id"])
            if turn is not None:
                yield comparison["actual"], turn


def _keep_text(calls: list[Told], turn: Turn) -> None:
    if turn.tools or [call["name"] for call in calls] != [asked.name for asked in turn.asked]:
        return
    for call, asked in zip(calls, turn.asked, strict=True):
        if isinstance(asked.args, str) and asked.args and call["args"] == {}:
            call["args"] = {"value": asked.args}


def read_events(picture: Picture, inputs: Inputs) -> None:
    """7.4: expected calls that are written as events reach a program too."""
    for sent in picture.sent:
        wanted = sent["expected_invocations"] or []
        case = next((c for c in inputs.cases if _is_of(c, wanted)), None)
        for invocation, turn in zip(wanted, (case or {}).get("conversation") or (), strict=False):
            events = (turn.get("intermediate_data") or {}).get("invocation_events") or ()
            parts = [p for e in events for p in (e.get("content") or {}).get("parts") or ()]
            if parts:
                invocation["intermediate_steps"] = _write_steps(parts)


def _is_of(case: Told, wanted: list[Told]) -> bool:
    """Whether these are the turns of a case, by what was said in them."""
    turns = case.get("conversation") or []
    told = [(read_text(t.get("user_content")), read_text(t.get("final_response"))) for t in turns]
    return told == [(one["user_content"], one["final_response"] or "") for one in wanted]


def _write_steps(parts: list[Told]) -> Told:
    calls = [part["function_call"] for part in parts if part.get("function_call")]
    told = [part["function_response"] for part in parts if part.get("function_response")]
    return {
        "tool_calls": [
            {"name": call["name"], "args": call.get("args") or {}, "id": call.get("id")}
            for call in calls
        ],
        "tool_responses": [
            {"name": one["name"], "output": _write(one["response"]), "status": None}
            | {"id": one.get("id"), "response": one["response"]}
            for one in told
        ],
    }
