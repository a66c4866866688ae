"""Rows recorded from ADK's own metrics: criterion, actual and expected turns, and the score."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentevals import eval_sets
from agentevals.graders.response_match_score import ResponseMatch
from agentevals.graders.tool_trajectory_avg_score import ToolTrajectory
from agentevals.grading import Grader, Services
from agentevals.model import Case, Conversation, Turn
from agentevals.text_metrics import tokens
from tests.conformance import adk_documents, adk_judges, hosted
from tests.conformance.rows import Difference, Row, differences

_NEWEST = "2.13.0"
_CRITERION = {"match_type": "trajectory_match_type", "matchType": "trajectory_match_type"}


def rows(folder: Path) -> Iterator[Row]:
    """The trajectory and the response metric; the others need a judge or a custom function."""
    for case in _cases(folder / "tool_trajectory_avg_score.json"):
        yield _trajectory(case)
    for case in _cases(folder / "response_match_score.json"):
        yield _response(case)
    yield from adk_documents.rows(folder)
    yield from adk_judges.rows(folder)
    yield from hosted.adk_rows(folder)


def _cases(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["cases"] if path.is_file() else []


def _trajectory(case: dict[str, Any]) -> Row:
    name, recorded = f"tool_trajectory_avg_score/{case['id']}", _newest(case)
    settings = {_CRITERION.get(key, key): value for key, value in case["criterion"].items()}
    try:
        grader = ToolTrajectory(name="tool_trajectory_avg_score", **settings)
    except ValidationError:
        return _refused(name, recorded)
    scores = _graded(grader, _turns(case["actual"]), _turns(case["expected"]))
    return Row(name, unexplained=tuple(differences(_outcome(recorded), scores)))


def _turns(invocations: list[dict[str, Any]]) -> tuple[Turn, ...]:
    """Read through the front door: as the conversation of an eval set's only case."""
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


def _response(case: dict[str, Any]) -> Row:
    recorded = dict(_newest(case))
    grader = ResponseMatch(name="response_match_score", threshold=case["threshold"])
    scores = _graded(grader, (Turn(response=case["actual"]),), (Turn(response=case["expected"]),))
    ours = {
        "score": scores["score"],
        "status": scores["status"],
        **_tokens(case, recorded),
    }
    return Row(f"response_match_score/{case['id']}", unexplained=tuple(differences(recorded, ours)))


def _tokens(case: dict[str, Any], recorded: dict[str, Any]) -> dict[str, list[str]]:
    """As many as were recorded: a long list was cut."""
    ours = {
        f"tokens_{side}": list(tokens.stems(case[side] or "")) for side in ("actual", "expected")
    }
    return {key: found[: len(recorded[key])] for key, found in ours.items()}


def _newest(case: dict[str, Any]) -> dict[str, Any]:
    results = case["results"]
    return (
        results.get(_NEWEST) or results[max(results, key=lambda v: tuple(map(int, v.split("."))))]
    )


def _outcome(recorded: dict[str, Any]) -> dict[str, Any]:
    return {
        "score": recorded.get("overall_score"),
        "status": recorded.get("overall_eval_status"),
        "per_turn": [turn["score"] for turn in recorded.get("per_invocation", ())],
    }


def _graded(grader: Grader, actual: tuple[Turn, ...], expected: tuple[Turn, ...]) -> dict[str, Any]:
    case = Case(conversation=Conversation(conversation_id="c", turns=actual), expected=expected)
    grade = grader.grade(case, Services())
    if grade.status is not None:
        status = grade.status.value
    elif grade.score is None:
        status = "NOT_EVALUATED"
    else:
        status = "PASSED" if grade.score >= grader.threshold else "FAILED"
    return {"score": grade.score, "status": status, "per_turn": list(grade.per_turn)}
