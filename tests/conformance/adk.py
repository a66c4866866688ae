"""Rows recorded from ADK's own metrics: criterion, actual and expected turns, and the score."""

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentevals.configs import eval_sets
from agentevals.graders.grader import Grader, Services
from agentevals.graders.text import word_stems
from agentevals.graders.text.response_match_score import ResponseMatch
from agentevals.graders.tools.tool_trajectory_avg_score import ToolTrajectory
from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation, Turn
from tests.conformance import adk_documents, adk_judges, adk_runs, hosted
from tests.conformance.reading import ShapeError, each, graded
from tests.conformance.rows import Difference, Row, differences

READS = (
    *("tool_trajectory_avg_score.json", "response_match_score.json", "judge_contract.json"),
    *("eval_config_parsing.json", "evalset_parsing.json", "seed_custom_metrics.json"),
    "runs.json",
)

_NEWEST = "2.13.0"
_CRITERION = {"match_type": "trajectory_match_type", "matchType": "trajectory_match_type"}


def rows(folder: Path) -> Iterator[Row]:
    """The trajectory and the response metric; the others need a judge or a custom function."""
    yield from each(folder / "tool_trajectory_avg_score.json", _trajectory, "cases")
    yield from each(folder / "response_match_score.json", _response, "cases")
    yield from adk_documents.rows(folder)
    yield from adk_judges.rows(folder)
    yield from hosted.adk_rows(folder)
    yield from adk_runs.rows(folder)


def _trajectory(name: str, case: dict[str, Any]) -> Row:
    recorded = _newest(case)
    settings = {_CRITERION.get(key, key): value for key, value in case["criterion"].items()}
    try:
        grader = ToolTrajectory(name="tool_trajectory_avg_score", **settings)
    except ValidationError:
        return _refused(name, recorded)
    expected = None if case["expected"] is None else _turns(case["expected"])
    scores = _graded(grader, _turns(case["actual"]), expected)
    return Row(name, unexplained=tuple(differences(_outcome(recorded), scores)))


def _turns(invocations: list[dict[str, Any]]) -> tuple[Turn, ...]:
    """Read through the front door: as the conversation of an eval set's only case."""
    if not invocations:
        return ()
    case = {"eval_id": "c", "conversation": invocations}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.evalset.json"
        path.write_text(json.dumps({"eval_set_id": "s", "eval_cases": [case]}), encoding="utf-8")
        return eval_sets.load(path).cases[0].turns or ()


def _refused(name: str, recorded: dict[str, Any]) -> Row:
    """A criterion that we refuse: the original refuses it too, or ignored what is in it (§1.1)."""
    if "raised" in recorded:
        return Row(name)
    return Row(name, explained=(("1.1", Difference("criterion", "accepted", "refused")),))


def _response(name: str, case: dict[str, Any]) -> Row:
    recorded = dict(_newest(case))
    if "raised" in recorded:
        recorded = {"score": None, "status": "NOT_EVALUATED"}
    grader = ResponseMatch(name="response_match_score", threshold=case["threshold"])
    scores = _graded(grader, _answer(case["actual"]), _answer(case["expected"]))
    ours = {
        "score": scores["score"],
        "status": scores["status"],
        **_tokens(case, recorded),
    }
    return Row(name, unexplained=tuple(differences(recorded, ours)))


def _answer(given: Any) -> tuple[Turn, ...]:
    """A turn with an answer: a text, or the parts that it was recorded in."""
    if given is None or isinstance(given, str):
        return (Turn(response=given),)
    parts = given.get("parts") if isinstance(given, dict) else given
    if not isinstance(parts, list):
        msg = f"an answer is {type(parts).__name__} here"
        raise ShapeError(msg)
    written = [{"text": part} if isinstance(part, str) else part for part in parts]
    content = {"role": "model", "parts": written}
    return _turns([{"user_content": {"parts": [{"text": "q"}]}, "final_response": content}])


def _tokens(case: dict[str, Any], recorded: dict[str, Any]) -> dict[str, list[str]]:
    """As many as were recorded, if they were: a long list was cut."""
    sides = [side for side in ("actual", "expected") if f"tokens_{side}" in recorded]
    return {
        f"tokens_{side}": list(word_stems.split_stems(_answer(case[side])[0].response or ""))[
            : len(recorded[f"tokens_{side}"])
        ]
        for side in sides
    }


def _newest(case: dict[str, Any]) -> dict[str, Any]:
    results = case["results"]
    return results.get(_NEWEST) or results[max(results, key=_numbers)]


def _numbers(release: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", release)]


def _outcome(recorded: dict[str, Any]) -> dict[str, Any]:
    """What raises there is not evaluated, which is all that `adk eval` shows of it."""
    if "raised" in recorded:
        return {"score": None, "status": "NOT_EVALUATED", "per_turn": []}
    told = {"score": recorded["overall_score"], "status": recorded["overall_eval_status"]}
    if "per_invocation" in recorded:
        told["per_turn"] = [turn["score"] for turn in recorded["per_invocation"]]
    return told


def _graded(
    grader: Grader, actual: tuple[Turn, ...], expected: tuple[Turn, ...] | None
) -> dict[str, Any]:
    """Graded as in an EvalConfig of ADK, where the turns are compared one by one."""
    conversation = Conversation(conversation_id="c", turns=actual)
    case = Case(
        conversation=conversation, expected=expected, unpaired="no eval set", equal_turns=True
    )
    result = graded(grader, case, Services())
    return {
        "score": result.score,
        "status": result.status.value,
        "per_turn": list(result.per_turn),
        "error": result.error,
    }
