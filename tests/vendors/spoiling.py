"""Expectations that nothing meets."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from agentevals.configs.plan import Expectation, Plan
from agentevals.graders.grader import Grader
from agentevals.model.conversations import ToolCall, Turn
from tests.vendors.judged_types import AROUND, EXPECTING, flatten

NOBODY = "what nobody says"
_CALLS = ("expected", "minimums", "tool_calls")
_NAMES = ("tool", "name")


def spoil_plan(plan: Plan) -> Plan:
    """The plan with each of its expectations made wrong."""
    return replace(
        plan,
        graders=tuple(map(_spoil_grader, plan.graders)),
        expectations=tuple(_spoil_expectation(plan, one) for one in plan.expectations or ()),
    )


def _spoil_expectation(plan: Plan, expected: Expectation) -> Expectation:
    fields = [
        field.path
        for one in flatten([*plan.graders, *expected.graders])
        if one.type == "field_accuracy"
        for field in one.fields
    ]
    task = expected.task and msgspec.structs.replace(
        expected.task,
        reference=NOBODY,
        expected_output=tuple(
            {**one, "content": _expect_at(spoil(one.get("content")), fields)}
            for one in expected.task.expected_output
        ),
    )
    turns = expected.turns and tuple(map(_spoil_turn, expected.turns))
    graders = tuple(map(_spoil_grader, expected.graders))
    return replace(expected, task=task, turns=turns, graders=graders)


def _expect_at(content: Any, paths: Sequence[str]) -> Any:
    """Return an object that has something at each path, or else nothing would be expected there."""
    for path in paths if isinstance(content, dict) else ():
        place = content
        *above, last = path.split(".")
        for step in above:
            place = place.setdefault(step, {}) if isinstance(place, dict) else {}
        if isinstance(place, dict):
            place.setdefault(last, NOBODY)
    return content


def _spoil_turn(turn: Turn) -> Turn:
    calls = tuple(msgspec.structs.replace(one, name=NOBODY) for one in turn.tool_calls)
    more = calls or (ToolCall(name=NOBODY, args={}),)
    return msgspec.structs.replace(turn, response=NOBODY, tool_calls=more)


def _spoil_grader(grader: Grader) -> Grader:
    inner = getattr(grader, "evaluators", ())
    changes: dict[str, Any] = {"evaluators": tuple(map(_spoil_grader, inner))} if inner else {}
    expecting = EXPECTING.get(grader.type, ()) if grader.type not in AROUND else ()
    written = grader.model_dump(include=set(expecting), exclude_unset=True)
    for name, value in written.items():
        changed = _spoil_calls(value) if name in _CALLS else spoil(value)
        fields = {**grader.model_dump(exclude_unset=True), name: changed}
        changes[name] = getattr(type(grader).model_validate(fields), name)
    return grader.model_copy(update=changes)


def spoil(value: Any) -> Any:
    """Return an expectation that nothing meets: every text of it is another one."""
    if isinstance(value, Mapping):
        return {key: spoil(one) for key, one in value.items()} or {NOBODY: NOBODY}
    if isinstance(value, list | tuple):
        return [spoil(one) for one in value]
    return _spoil_text(value) if isinstance(value, str) else NOBODY


def _spoil_text(text: str) -> str:
    """Return another text; a table keeps its columns."""
    head, *rows = text.splitlines() or [""]
    cells = ",".join([NOBODY] * (head.count(",") + 1))
    return "\n".join([head, *([cells] * len(rows))]) if rows else NOBODY


def _spoil_calls(value: Any) -> Any:
    """Return expected calls by names that no tool has."""
    if isinstance(value, Mapping):
        return {NOBODY: 1}
    return [
        {key: NOBODY if key in _NAMES else one for key, one in call.items()}
        if isinstance(call, Mapping)
        else NOBODY
        for call in value
    ]
