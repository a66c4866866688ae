"""Eval sets of ADK, what the agent did, and what a judge says about it."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from agentevals.configs.eval_sets import adk_contents as contents
from agentevals.configs.eval_sets import adk_eval_set as written
from tests.differential.draw import Draw
from tests.differential.grammars import adk_answers, adk_configs
from tests.differential.grammars.adk_invocations import Json, Turns

DID = ("same", "varied", "other", "other calls", "other words")
_SIMULATOR = "per_turn_user_simulator_quality_v1"


def write_case(draw: Draw) -> Json:
    """A config, an eval set, what the agent did in each of its cases, and the judge's script."""
    judged = draw.choose("judged", adk_answers.JUDGED) if draw.chance(0.5) else ""
    plain = Turns(draw)
    config = adk_configs.write_config(draw, plain, judged)
    cases, actual, judge = [], {}, {}
    for number in range(draw.count(1, 2)):
        mark = f"case-{number}"
        turns = Turns(draw, mark=mark if judged else "", kind=adk_answers.KINDS.get(judged, ""))
        case, did = _write_case(draw, turns, mark, judged)
        cases.append(case)
        actual[mark] = did
        if judged:
            rubrics = list(adk_answers.list_rubrics(config, case))
            script = adk_answers.write_script(draw, judged, rubrics)
            judge[f"scripted-{judged} {mark}"] = script
    eval_set = {"eval_set_id": "set", "eval_cases": cases}
    for key in ("name", "description", "creation_timestamp"):
        if draw.chance(0.3):
            eval_set[key] = 1.5 if key == "creation_timestamp" else draw.text()
            draw.reached["EvalSet", key] += 1
    if draw.chance(0.05):
        adk_configs.make_slip(draw, config)
    return {"config": config, "eval_set": eval_set, "actual": actual, "judge": judge}


def _write_case(draw: Draw, turns: Turns, name: str, judged: str) -> tuple[Json, list[Json]]:
    simulated = draw.chance(0.8) if judged == _SIMULATOR else draw.chance(0.08)
    count = 0 if draw.chance(0.03) else draw.count(1, 3)
    expected = [turns.invocation(number, expected=True) for number in range(count)]
    did = [_vary(draw, turns, turn, number) for number, turn in enumerate(expected)]
    if draw.chance(0.08) and not simulated:
        did = did[:-1] if draw.chance(0.5) else [*did, turns.invocation(count, expected=False)]
    case = _write_either(draw, turns, expected, simulated=simulated)
    case["eval_id"] = name
    if turns.spelling == "camel":
        case["evalId"] = case.pop("eval_id")
    for at, turn in enumerate(did):  # what ADK itself has recorded has a name
        turn["invocationId" if turns.spelling == "camel" else "invocation_id"] = f"a{at}"
    return case, did


def _write_either(draw: Draw, turns: Turns, expected: list[Json], *, simulated: bool) -> Json:
    def field(name: str, make: Callable[[], Any], part: float) -> Any:
        return turns.field("EvalCase", name, make, part)

    scenario = lambda: _write_scenario(draw, turns, expected)  # noqa: E731
    return turns.spell(
        {
            "conversation": field("conversation", lambda: expected, 1) if not simulated else ...,
            "conversation_scenario": field("conversation_scenario", scenario, 1)
            if simulated
            else ...,
            "rubrics": field("rubrics", lambda: _write_rubrics(draw, turns), 0.4),
            "session_input": field(
                "session_input", lambda: turns.spell({"app_name": "a", "user_id": "u"}), 0.2
            ),
            "creation_timestamp": field("creation_timestamp", lambda: 7.5, 0.3) or 0.0,
            "final_session_state": field("final_session_state", lambda: {"k": 1}, 0.2),
        }
    )


def _write_rubrics(draw: Draw, turns: Turns) -> list[Json]:
    return [turns.rubric(f"e{number}") for number in range(draw.count(0, 2))]


def _write_scenario(draw: Draw, turns: Turns, expected: list[Json]) -> Json:
    """What the simulated user says first is often what it was told to."""
    persona = draw.choose("persona", ("EXPERT", "NOVICE", "EVALUATOR", "none"))
    opening = _read_text(expected[0]) if expected and draw.chance(0.7) else turns.text()
    return turns.spell(
        {
            "starting_prompt": opening,
            "conversation_plan": turns.text(),
            "user_persona": persona if persona != "none" else ...,
        }
    )


def _read_text(turn: Json) -> str:
    content = turn.get("user_content") or turn["userContent"]
    return str(content["parts"][0]["text"])


def _vary(draw: Draw, turns: Turns, expected: Json, number: int) -> Json:
    """What the agent did: the expected, nearly the expected in one of several ways, or anything."""
    kind = draw.choose("did", DID)
    if kind == "other":
        return turns.invocation(number, expected=False)
    turn = deepcopy(expected)
    turn.pop("rubrics", None)
    if kind == "varied":
        fresh = turns.invocation(number, expected=False)
        for key in list(turn):
            if draw.chance(0.4) and key in fresh:
                turn[key] = fresh[key]
    elif kind == "other calls":
        _disturb_calls(draw, turns, turn)
    elif kind == "other words":
        _disturb_words(draw, turn)
    return turn


def _disturb_calls(draw: Draw, turns: Turns, turn: Json) -> None:
    """The calls in another order, with one more or less, or with other arguments."""
    data = turn.get("intermediate_data") or turn.get("intermediateData") or {}
    steps = data.get("tool_uses") or data.get("toolUses") or data.get("invocationEvents")
    steps = steps or data.get("invocation_events") or []
    calls = [step for step in map(_find_call, steps) if step]
    how = draw.choose("disturbed", ("order", "more", "less", "args"))
    if how == "order":
        steps.reverse()
    elif how == "less" and steps:
        steps.pop(draw.count(0, len(steps) - 1))
    elif how == "more" and steps:
        steps.insert(draw.count(0, len(steps)), deepcopy(steps[0]))
    elif calls:
        call = draw.choose("disturbed call", range(len(calls)))
        calls[call]["args"] = turns.call().get("args") if draw.chance(0.5) else {"other": 1}


def _find_call(step: Json) -> Json | None:
    """The call itself, or the one in an event."""
    if "content" not in step:
        return step
    [part] = step["content"]["parts"]
    return part.get("function_call") or part.get("functionCall")


def _disturb_words(draw: Draw, turn: Json) -> None:
    """Some words of the answer left out, and the others in another order."""
    content = turn.get("final_response") or turn.get("finalResponse") or {}
    for part in content.get("parts") or ():
        if part.get("text"):
            words = [word for word in part["text"].split() if draw.chance(0.7)]
            part["text"] = " ".join(reversed(words)) + draw.choose("end", ("", "!", " ÜBER Käses"))


def list_reachable() -> Iterable[tuple[str, str]]:
    """Every field that our reader of eval sets knows, and every way to write one."""
    for owner, model, without in (
        ("invocation", written._Invocation, _ALWAYS),
        ("call", contents.FunctionCall, {"name"}),
        ("response", contents.FunctionResponse, {"name", "id", "response"}),
        ("EvalCase", written.EvalCase, {"eval_id", "not_recorded"}),
        ("EvalSet", written.EvalSet, {"eval_set_id", "eval_cases"}),
    ):
        yield from ((owner, field) for field in model.model_fields if field not in without)
    yield from (("part", field) for field in contents.Part.model_fields)
    yield from (("between", kind) for kind in ("IntermediateData", "InvocationEvents"))
    yield from (("spelling", kind) for kind in ("snake", "camel"))
    yield from (("did", kind) for kind in DID)


_ALWAYS = {"invocation_id", "user_content", "creation_timestamp"}
