"""Scripted judges: what ADK's judged metrics made of an answer, and what ours make of it."""

from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from agentevals.graders import GRADERS
from agentevals.graders.grader import Grader, Services
from agentevals.judge import JudgeSettings, create_judge
from agentevals.model.cases import Case, Rubric, Scenario
from agentevals.model.conversations import Conversation, Turn
from tests.conformance.reading import each, graded, has, not_written
from tests.conformance.rows import Difference, Row, differences
from tests.servers import Reply, Seen, as_json, serve

Recorded = dict[str, Any]

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
# what ours does differently, by the run that shows it
_DECISIONS = {
    "all-unparsable": "1.3",
    "none-content": "1.3",
    "one-exception-kills-invocation": "1.3",
    "rubric-missing-verdict": "1.3",
    "rubric-partial": "7.9",
    "rubric-per-invocation-state-leak": "7.10",
    "hallucinations-nosent": "7.11",
}


def rows(folder: Path) -> Iterator[Row]:
    """Every scripted run, and what else was recorded of judges."""
    path = folder / "judge_contract.json"
    yield from each(path, _row, "runs")
    for key in ("parse", "config"):
        if has(path, key):
            yield from each(path, not_written, key)


def _row(name: str, run: Recorded) -> Row:
    found = tuple(differences(_recorded(run["result"]), _ours(run)))
    decision = _DECISIONS.get(run["id"], "")
    explained: tuple[tuple[str, Difference], ...] = tuple((decision, d) for d in found)
    return Row(name, explained=explained) if decision else Row(name, unexplained=found)


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
