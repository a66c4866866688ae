"""Rows of AgentV's arithmetic: verdicts, clamped scores, opposites, what counts as exploring."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agentevals import usage, verdict
from agentevals.errors import EvaluatorError
from agentevals.graders.execution_metrics import ExecutionMetrics
from agentevals.grading import Services, negated
from agentevals.isolation import Finished
from agentevals.judge_programs import answers
from agentevals.model import Case, Conversation, Grade, ModelCall, Status, ToolCall, Turn
from agentevals.report import Policy, Result
from tests.conformance.rows import Difference, Row, differences

_RELEASE = "agentv-3.1.0"
_POLICY = Policy(pass_at=0.8, borderline_at=0.6)

Recorded = dict[str, Any]


def rows(folder: Path) -> Iterator[Row]:
    """Each primitive, and the metrics of runs that recorded next to nothing."""
    units = json.loads((folder / "unit_goldens.json").read_text(encoding="utf-8"))
    primitives = units["primitives"]
    for one in primitives["scoreToVerdict"]:
        yield _row(f"verdict-{one['score']}", one[_RELEASE], _band(one["score"]))
    for one in primitives["clampScore"]:
        yield _row(f"clamp-{one['in']}", one["out"], _clamped(one["in"]), unreadable="3.14")
    for number, one in enumerate(primitives["negate"]):
        yield _opposite(f"negate-{number}", one)
    for number, one in enumerate(primitives["explorationRatio"]):
        yield _row(f"exploring-{number}", one["out"], _exploring(one["in"]))
    for case in units["cases"]:
        if case["id"].startswith("em-"):
            yield _metrics(case)


def _row(name: str, recorded: Any, ours: Any, *, unreadable: str = "") -> Row:
    found = tuple(differences(recorded, ours))
    explained = unreadable if ours is None else ""
    if explained:
        return Row(f"units/{name}", explained=tuple((explained, one) for one in found))
    return Row(f"units/{name}", unexplained=found)


def _band(score: float) -> str:
    result = Result(name="r", type="t", status=Status.PASSED, score=score)
    return verdict.of_case([result], score, _POLICY).value


def _clamped(given: Any) -> float | None:
    """None where a program that says this said nothing."""
    score = float(given) if isinstance(given, str) else given
    printed = json.dumps({"score": score}).encode()
    finished = Finished(stdout=printed, stderr="", exit_code=0, isolation="", seconds=0)
    try:
        return answers.grade(finished, name="p").score
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
    opposite = negated(grade)
    ours = {
        "score": opposite.score,
        "verdict": _band(opposite.score) if opposite.score is not None else "fail",
        "hits": list(opposite.hits),
        "misses": list(opposite.misses),
        "reasoning": opposite.reasoning,
    }
    found = [(_of_opposites(d, skipped=skipped), d) for d in differences(one[_RELEASE], ours)]
    return Row(
        f"units/{name}",
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
    return usage.Usage(turns=(turn,)).exploration_ratio


def _metrics(case: Recorded) -> Row:
    config, context = case["input"]["config"], case["input"]["context"]
    recorded = {
        key: case["expected"][_RELEASE][key] for key in ("score", "hits", "misses", "reasoning")
    }
    try:
        grader = ExecutionMetrics.model_validate({"name": "em", **config})
    except ValidationError:
        refused = Difference("config", config, "refused")
        return Row(f"units/{case['id']}", explained=(("1.1", refused),))
    told = Conversation(conversation_id="c", turns=tuple(_turns(context)))
    grade = grader.grade(Case(conversation=told), Services())
    ours = {
        "score": grade.score,
        "hits": list(grade.hits),
        "misses": list(grade.misses),
        "reasoning": grade.reasoning,
    }
    return Row(f"units/{case['id']}", unexplained=tuple(differences(recorded, ours)))


def _turns(context: Recorded) -> Iterator[Turn]:
    tokens = context.get("tokenUsage")
    if tokens:
        call = ModelCall(input_tokens=tokens["input"], output_tokens=tokens["output"])
        yield Turn(response="x", model_calls=(call,))
    elif "trace" in context:
        yield Turn(response="x")
