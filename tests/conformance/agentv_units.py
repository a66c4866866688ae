"""Rows of AgentV's arithmetic: verdicts, clamped scores, opposites, what counts as exploring."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentevals.graders import budgets
from agentevals.graders.budgets.execution_metrics import ExecutionMetrics
from agentevals.graders.grader import Services
from agentevals.graders.grading import invert_grade
from agentevals.graders.programs import code_judge_answers
from agentevals.model.cases import Case, Grade, Status
from agentevals.model.conversations import Conversation, ModelCall, ToolCall, Turn
from agentevals.model.errors import EvaluatorError
from agentevals.model.policy import Policy
from agentevals.model.results import Result
from agentevals.run import verdict
from agentevals.sandbox.isolation import Finished
from tests.conformance import agentv_judge_units, agentv_trajectory_units
from tests.conformance.reading import (
    ShapeError,
    each,
    fitting,
    members,
    not_written,
    of_release,
    text,
)
from tests.conformance.rows import Difference, Row, differences

_RELEASE = "agentv-3.1.0"
_POLICY = Policy(pass_at=0.8, borderline_at=0.6)

Recorded = dict[str, Any]


def rows(folder: Path) -> Iterator[Row]:
    """Each primitive, and direct calls of evaluators in states that few runs get into."""
    path = folder / "unit_goldens.json"
    if not path.is_file():
        return
    yield from each(path, _unit, "cases")
    try:
        kinds = members(path, "primitives")
    except ShapeError as error:
        yield Row(f"{path.name}/primitives", incomparable=str(error))
        return
    for kind, _ in kinds:
        yield from each(path, _PRIMITIVES.get(kind, not_written), "primitives", kind)


def _unit(name: str, case: Recorded) -> Row:
    kind = text(case["id"]).partition("-")[0]
    return _UNITS.get(kind, not_written)(name, case)


def _verdict(name: str, one: Recorded) -> Row:
    return _row(name, of_release(one, _RELEASE), _band(one["score"]))


def _clamp(name: str, one: Recorded) -> Row:
    return _row(name, one["out"], _clamped(one["in"]), unreadable="3.14")


def _exploration(name: str, one: Recorded) -> Row:
    return _row(name, one["out"], _exploring(one["in"]))


def _row(name: str, recorded: Any, ours: Any, *, unreadable: str = "") -> Row:
    found = tuple(differences(recorded, ours))
    explained = unreadable if ours is None else ""
    if explained:
        return Row(name, explained=tuple((explained, one) for one in found))
    return Row(name, unexplained=found)


def _band(score: float) -> str:
    result = Result(name="r", type="t", status=Status.PASSED, score=score)
    return verdict.judge_case([result], score, _POLICY).value


def _clamped(given: Any) -> float | None:
    """None where a program that says this said nothing."""
    score = float(given) if isinstance(given, str) else given
    printed = json.dumps({"score": score}).encode()
    finished = Finished(stdout=printed, stderr="", exit_code=0, isolation="", seconds=0)
    try:
        return code_judge_answers.read_grade(finished, name="p").score
    except EvaluatorError:
        return None


def _opposite(name: str, one: Recorded) -> Row:
    given = one["in"]
    skipped = given["verdict"] == "skip"
    grade = Grade(
        score=None if skipped else given["score"],
        hits=tuple(given["hits"]),
        misses=tuple(given["misses"]),
        reasoning=given["reasoning"],
    )
    opposite = invert_grade(grade)
    ours = {
        "score": opposite.score,
        "verdict": _band(opposite.score) if opposite.score is not None else "fail",
        "hits": list(opposite.hits),
        "misses": list(opposite.misses),
        "reasoning": opposite.reasoning,
    }
    recorded = of_release(one, _RELEASE)
    found = [(_of_opposites(d, skipped=skipped), d) for d in differences(recorded, ours)]
    return Row(
        name,
        explained=tuple((decision, d) for decision, d in found if decision),
        unexplained=tuple(d for decision, d in found if not decision),
    )


def _of_opposites(difference: Difference, *, skipped: bool) -> str:
    """What was not judged is not judged by being negated; a verdict is that of the score."""
    if skipped:
        return "3.12"
    return "3.17" if difference.where == "verdict" else ""


def _exploring(summary: Recorded) -> float | None:
    counts = summary["toolCallsByName"]
    calls = tuple(ToolCall(name=name) for name, count in counts.items() for _ in range(count))
    turn = Turn(response="x", tool_calls=calls)
    return budgets.Usage(turns=(turn,)).exploration_ratio


def _metrics(name: str, case: Recorded) -> Row:
    config, context = case["input"]["config"], case["input"]["context"]
    expected = of_release(case["expected"], _RELEASE)
    recorded = {key: expected[key] for key in ("score", "hits", "misses", "reasoning")}
    try:
        grader = ExecutionMetrics.model_validate({"name": "em", **config})
    except ValidationError:
        refused = Difference("config", config, "refused")
        return Row(name, explained=(("1.1", refused),))
    told = Conversation(conversation_id="c", turns=tuple(_turns(context)))
    grade = grader.grade(fitting(Case(conversation=told)), Services())
    ours = {
        "score": grade.score,
        "hits": list(grade.hits),
        "misses": list(grade.misses),
        "reasoning": grade.reasoning,
    }
    found = tuple(differences(recorded, ours))
    if grade.score is None:  # what was not recorded keeps no limit in AgentV
        return Row(name, explained=tuple(("1.11", one) for one in found))
    return Row(name, unexplained=found)


def _turns(context: Recorded) -> Iterator[Turn]:
    tokens = context.get("tokenUsage")
    if tokens:
        call = ModelCall(input_tokens=tokens["input"], output_tokens=tokens["output"])
        yield Turn(response="x", model_calls=(call,))
    elif "trace" in context:
        yield Turn(response="x")


_UNITS: dict[str, Callable[[str, Any], Row]] = {
    "em": _metrics,
    "llm": agentv_judge_units.sequence,
    "tt": agentv_trajectory_units.trajectory,
}
_PRIMITIVES: dict[str, Callable[[str, Any], Row]] = {
    "scoreToVerdict": _verdict,
    "clampScore": _clamp,
    "negate": _opposite,
    "explorationRatio": _exploration,
    "parseJsonFromText": agentv_trajectory_units.found_json,
}
