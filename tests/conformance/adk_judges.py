"""Scripted judges: what ADK's judged metrics made of an answer, and what ours make of it."""

from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from agentevals.graders import GRADERS
from agentevals.graders.grader import Grader, Services
from agentevals.graders.llm.questions.adk_verdicts import read_validity
from agentevals.judge import JudgeSettings, create_judge
from agentevals.model.cases import Case, Rubric, Scenario
from agentevals.model.conversations import Conversation, Turn
from tests.conformance import adk_deviations, adk_judged
from tests.conformance.adk_facts import Facts
from tests.conformance.reading import each, graded, has, not_written
from tests.conformance.rows import Row, differences
from tests.servers import Reply, Seen, as_json, serve

Recorded = dict[str, Any]

_SEGMENTED = "hallucinations_v1"
_ANSWER = Turn(turn_id="i", user="weather?", response="Paris is sunny. It is 30C.")
_OPENING = Scenario(opening="weather?", plan="Ask for the weather.")
# which turns, rubrics and scenario a run was about, where that is not the usual one
_TURNS = {"two-invocations": 2, "rubric-per-invocation-state-leak": 2}
_EXPECTED_NONE = {"no-expected"}
_RUBRICS = {
    "rubric-invocation-level": (Rubric(rubric_id="r3", text="Short."),),
    "rubric-dup-id": (Rubric(rubric_id="r1", text="Is kind."),),
    "rubric-per-invocation-state-leak": (
        Rubric(rubric_id="x1", text="X1.", turn=0),
        Rubric(rubric_id="x2", text="X2.", turn=1),
    ),
}
_SCENARIOS = {
    "sim-first-ok": _OPENING,
    "sim-first-bad": Scenario(opening="hello", plan="Say hello."),
    "sim-stop-bad": _OPENING,
}


def rows(folder: Path) -> Iterator[Row]:
    """Every scripted run, and what else was recorded of judges."""
    path = folder / "judge_contract.json"
    yield from each(path, _row, "runs")
    for key, compare in (("parse", _label), ("config", not_written)):
        if has(path, key):
            yield from each(path, compare, key)


def _label(name: str, parsed: Recorded) -> Row:
    """What is read of an answer about the validity of a response."""
    read = read_validity(parsed["text"])
    ours = {"label": read["verdict"].upper() if read else "NOT_FOUND"}
    return Row(name, unexplained=tuple(differences({"label": parsed["label"]}, ours)))


def _row(name: str, run: Recorded) -> Row:
    recorded = _recorded(run["result"])
    decided, expected = _expect(run, recorded)
    explained = [(number, d) for number in decided for d in differences(recorded, expected)]
    found = tuple(differences(expected, _ours(run)))
    return Row(name, explained=tuple(explained), unexplained=found)


def _expect(run: Recorded, recorded: Recorded) -> tuple[list[str], Recorded]:
    """What ours has to say: computed where a decision is about what the judge said."""
    if "judged" in recorded:
        return [], recorded
    facts = _collect(run)
    bench = adk_judged.Bench(facts)
    computed = adk_deviations.settle(facts, bench)
    if facts.metric == _SEGMENTED and "<sentence>" not in run["script"][0]:
        bench.decided.add("7.11")  # there the judge tells sentences apart, and it did not
    if not bench.decided:
        return [], recorded
    return sorted(bench.decided), {key: computed[key] for key in recorded}


def _collect(run: Recorded) -> Facts:
    """The facts of a run: its turns are always the same, and the first answer may be sentences."""
    case, text = _case(run["id"]), {"parts": [{"text": _ANSWER.response}]}
    user = {"parts": [{"text": _ANSWER.user}]}
    turns = [{"user_content": user, "final_response": text} for _ in case.turns]
    rubrics: list[list[Recorded]] = [[] for _ in case.turns]
    kind = adk_judged.KINDS.get(run["metric"], "")
    for rubric in case.rubrics:
        told = {"rubric_id": rubric.rubric_id, "rubric_content": {"text_property": rubric.text}}
        rubrics[rubric.turn or 0].append(told | {"type": kind})
    expected = [{**turn, "rubrics": own} for turn, own in zip(turns, rubrics, strict=True)]
    scenario = case.scenario and {"starting_prompt": case.scenario.opening}
    return Facts(
        metric=run["metric"],
        case={"conversation": expected, "conversation_scenario": scenario},
        turns=turns,
        criterion=run["criterion"],
        own={},
        script=run["script"][1:] if run["metric"] == _SEGMENTED else run["script"],
    )


def _recorded(result: Recorded) -> Recorded:
    """What raises there is not evaluated, which is all that `adk eval` shows of it."""
    if "raised" in result:
        return {"judged": False}
    return {
        "score": result["overall_score"],
        "status": result["status"],
        "per_turn": [turn["score"] for turn in result["per"]],
    }


def _ours(run: Recorded) -> Recorded:
    script = chain(run["script"], repeat(run["script"][-1]))
    with serve(lambda seen: _reply(seen, next(script))) as server:
        settings = JudgeSettings(model="scripted", base_url=server.url, cache=False, retries=0)
        result = graded(_grader(run), _case(run["id"]), Services(judge=create_judge(settings)))
    return {
        "judged": result.score is not None,
        "score": result.score,
        "status": result.status.value,
        "per_turn": list(result.per_turn),
    }


def _reply(seen: Seen, said: str) -> Reply:
    if said == "429":
        return as_json({"error": {"message": "slow down"}}, 429)
    message = {"role": "assistant", "content": None if said == "None" else said}
    return as_json({"choices": [{"message": message, "finish_reason": "stop"}]})


def _grader(run: Recorded) -> Grader:
    criterion = run["criterion"]
    samples = criterion.get("judge_model_options", {}).get("num_samples")
    rubrics = [
        {"id": rubric["rubric_id"], "text": rubric["rubric_content"]["text_property"]}
        for rubric in criterion.get("rubrics", ())
    ]
    fields = {"threshold": min(1, criterion["threshold"]), "num_samples": samples}
    return GRADERS[run["metric"]].model_validate(
        {"name": run["metric"], **fields, **({"rubrics": rubrics} if rubrics else {})}
    )


def _case(name: str) -> Case:
    turns = (_ANSWER,) * _TURNS.get(name, 1)
    return Case(
        conversation=Conversation(conversation_id="c", turns=turns),
        expected=None if name in _EXPECTED_NONE else turns,
        unpaired="no eval set provided" if name in _EXPECTED_NONE else "",
        rubrics=_RUBRICS.get(name, ()),
        scenario=_SCENARIOS.get(name),
    )
