"""The recording of an agent that does what a sample expects, made of the expectations."""

import json
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from agentevals.configs.plan import Expectation, Plan
from agentevals.graders.grader import Grader
from agentevals.model.cases import Task
from agentevals.model.conversations import ToolCall, Turn
from tests.vendors.judged_types import LISTS, OUTPUTS, TEXTS, flatten


def record(plan: Plan) -> dict[str, Any]:
    """The recording, as ADK writes it."""
    runs = [
        {
            "eval_id": one.case_id,
            "session_id": one.case_id,
            "eval_metric_result_per_invocation": [
                {"actual_invocation": _write_turn(turn)} for turn in _imagine_turns(plan, one)
            ],
        }
        for one in plan.expectations or ()
    ]
    return {"eval_set_result_id": "twin", "eval_case_results": runs}


def _imagine_turns(plan: Plan, expected: Expectation) -> Iterator[Turn]:
    """Yield what an agent does that is as expected; the last turn is what evaluators look at."""
    graders = [*([] if expected.own_only else plan.graders), *expected.graders]
    wanted = list(flatten(graders))
    *before, last = expected.turns or (Turn(user=expected.opening),)
    yield from before
    calls = tuple(call for one in wanted for call in _imagine_calls(one))
    answer = _imagine_answer(wanted, last.response or _get_reference(expected.task))
    yield msgspec.structs.replace(
        last, response=answer, tool_calls=last.tool_calls + calls, user=last.user or "?"
    )


def _get_reference(task: Task | None) -> str:
    return task.reference if task else ""


def _imagine_answer(graders: Sequence[Grader], reference: str) -> str:
    outputs = [one.expected_output for one in graders if one.type in OUTPUTS]
    if outputs:
        objects = [one for one in outputs if isinstance(one, dict)]
        return json.dumps(dict(ChainMap(*objects[::-1]))) if objects else str(outputs[0])
    if any(one.type in {"field_accuracy", "is_json"} for one in graders):
        return reference
    texts = {one.type: one.value for one in graders if one.type in TEXTS}
    if "equals" in texts:
        return str(texts["equals"])
    first, last = texts.pop("starts_with", ""), texts.pop("ends_with", "")
    parts = [first, reference, *texts.values()]
    for one in graders:
        parts += one.value if one.type in LISTS else ()
        parts += [one.search_text] if one.type == "uipath_contains" else ()
    return "\n".join(str(part) for part in (*parts, last) if part)


def _imagine_calls(grader: Grader) -> Iterator[ToolCall]:
    calls = _CALLS.get(grader.type, lambda _: ())(grader)
    return (
        ToolCall(name=name, args=args if isinstance(args, dict) else {}) for name, args in calls
    )


def _imagine_trajectory(grader: Grader) -> Iterator[tuple[str, Any]]:
    for one in grader.expected or ():
        yield one.tool, one.args
    for name, least in (grader.minimums or {}).items():
        yield from [(name, {})] * int(least)


_CALLS: dict[str, Callable[[Any], Iterable[tuple[str, Any]]]] = {
    "tool_trajectory": _imagine_trajectory,
    "skill_trigger": lambda grader: [("Skill", {"skill": grader.skill})],
    "uipath_tool_call_order": lambda grader: [(name, {}) for name in grader.tool_calls_order],
    "uipath_tool_call_args": lambda grader: [(call.name, call.args) for call in grader.tool_calls],
}


def _write_turn(turn: Turn) -> dict[str, Any]:
    calls = [
        {"id": f"c{at}", "name": call.name, "args": call.args or {}}
        for at, call in enumerate(turn.tool_calls)
    ]
    answers = [{"id": one["id"], "name": one["name"], "response": {}} for one in calls]
    return {
        "user_content": {"role": "user", "parts": [{"text": turn.user}]},
        "final_response": {"role": "model", "parts": [{"text": turn.response or ""}]},
        "intermediate_data": {"tool_uses": calls, "tool_responses": answers},
    }
