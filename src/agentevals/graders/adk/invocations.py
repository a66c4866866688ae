"""Cases in the words of ADK's own types, as its metric functions get them."""

from collections.abc import Iterable, Iterator
from typing import Any

from agentevals.model.cases import Case, Rubric, Scenario
from agentevals.model.conversations import ToolCall, Turn

_NANOSECONDS = 1e9
# below these are the user's own values, in which null means something
_OWN_VALUES = frozenset({"args", "response", "part_metadata", "partMetadata", "tool_declarations"})

Content = dict[str, Any]


def describe_case(case: Case) -> dict[str, Any]:
    """Describe a case as a metric function gets it: as it was recorded, where ADK recorded it."""
    return {
        "actual": [
            _add_rubrics(_describe_turn(turn), case.rubrics, number)
            for number, turn in enumerate(case.turns)
        ],
        "expected": None if case.expected is None else [_describe_turn(t) for t in case.expected],
        "scenario": _describe_scenario(case.scenario) if case.scenario else None,
    }


def _add_rubrics(invocation: Content, rubrics: Iterable[Rubric], number: int) -> Content:
    """ADK hands those of the eval case over with the recorded turn; it records them as well."""
    own = list(invocation.get("rubrics") or ())
    known = {rubric.get("rubric_id", rubric.get("rubricId")) for rubric in own}
    added = [
        _describe_rubric(rubric)
        for rubric in rubrics
        if rubric.turn in {None, number} and rubric.rubric_id not in known
    ]
    return {**invocation, "rubrics": [*own, *added]} if added else invocation


def _describe_rubric(rubric: Rubric) -> Content:
    kind = {"type": rubric.kind} if rubric.kind else {}
    text = {"text_property": rubric.text}
    return {"rubric_id": rubric.rubric_id, "rubric_content": text, **kind}


def _describe_turn(turn: Turn) -> Content:
    if turn.invocation:
        return dict(_drop_nulls(turn.invocation))
    return {
        "invocation_id": turn.turn_id,
        "user_content": _build_content("user", turn.user),
        "final_response": None if turn.response is None else _build_content("model", turn.response),
        "intermediate_data": {
            "tool_uses": [_describe_call(call) for call in turn.tool_calls],
            "tool_responses": list(_list_responses(turn)),
            "intermediate_responses": [
                [turn.agent, [{"text": text}]] for text in turn.intermediate
            ],
        },
        "creation_timestamp": turn.start_ns / _NANOSECONDS,
    }


def _drop_nulls(given: Any) -> Any:
    """A key of a release that is not known here carries nothing if its value is null."""
    if isinstance(given, list):
        return [_drop_nulls(each) for each in given]
    if not isinstance(given, dict):
        return given
    return {
        key: value if key in _OWN_VALUES else _drop_nulls(value)
        for key, value in given.items()
        if value is not None
    }


def _build_content(role: str, text: str) -> Content:
    return {"role": role, "parts": [{"text": text}]}


def _describe_call(call: ToolCall) -> Content:
    return {"id": call.call_id, "name": call.name, "args": call.args}


def _list_responses(turn: Turn) -> Iterator[Content]:
    for call in turn.tool_calls:
        if call.answered or call.failed:
            answer_id = call.call_id or call.answer_id
            yield {"id": answer_id, "name": call.name, "response": _wrap_response(call)}


def _wrap_response(call: ToolCall) -> Content:
    """ADK knows objects only, and puts everything else under these two names itself."""
    if isinstance(call.response, dict):
        return call.response
    if call.failed:
        return {"error": call.error or call.response}
    return {"result": call.response}


def _describe_scenario(scenario: Scenario) -> Content:
    if scenario.written:
        return scenario.written
    return {"starting_prompt": scenario.opening, "conversation_plan": scenario.plan}
