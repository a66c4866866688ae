"""Builtins that ask a judge, what the judge says to each question, and rubrics."""

import json
from typing import Any

from agentevals.graders import GRADERS
from agentevals.model.builtins import EVALUATORS
from tests.differential.draw import Draw

# 0.11 refuses the one, and rubrics of the other, without which it cannot run
_REFUSED = ("per_turn_user_simulator_quality_v1", "rubric_based_multi_turn_trajectory_quality_v1")
JUDGED = tuple(
    name for name, builtin in EVALUATORS.items() if builtin.is_judged and name not in _REFUSED
)
MODEL = "openai/judge"
_SAMPLES = 5
_RUBRICS: tuple[list[Any], ...] = (
    ["The answer is kind."],
    [{"id": "kind", "text": "The answer is kind."}, {"id": "short", "text": "It is short."}],
)
_LABELS = ("supported", "supported", "unsupported", "not_applicable", "contradictory", "disputed")
_MOST = 12  # sentences that the judge labels


def make_judged(draw: Draw, threshold: float | None) -> tuple[dict[str, Any], list[str]]:
    """An entry, and what its judge says when it is asked once, twice and so on."""
    name = draw.choose("judged", JUDGED)
    entry: dict[str, Any] = {"name": name, "type": "builtin", "judge_model": MODEL}
    entry |= {} if threshold is None else {"threshold": threshold}
    entry |= {"rubrics": draw.choose("rubrics", _RUBRICS)} if name.startswith("rubric") else {}
    return entry, [_answer(draw, entry) for _ in range(_SAMPLES)]


def _answer(draw: Draw, entry: dict[str, Any]) -> str:
    name = entry["name"]
    if "rubrics" in entry:
        return "\n\n".join(_judge_rubric(draw, at, one) for at, one in enumerate(entry["rubrics"]))
    if name == "hallucinations_v1":
        labels = [draw.choose("label", _LABELS) for _ in range(draw.count(1, _MOST))]
        return "\n".join(map(_write_label, labels))
    if name == "final_response_match_v2":
        verdict = draw.choose("validity", ("valid", "invalid"))
        return json.dumps({"is_the_agent_response_valid": verdict})
    own: dict[str, str] = getattr(GRADERS[name], "rubrics", {})
    said = [{"id": key, "rationale": "why", "verdict": _decide(draw)} for key in own]
    return json.dumps({"verdicts": said})


def _judge_rubric(draw: Draw, number: int, rubric: Any) -> str:
    name, text = (
        (f"rubric_{number}", rubric) if isinstance(rubric, str) else (rubric["id"], rubric["text"])
    )
    lines = (f"ID: {name}", f"Property: {text}", "Rationale: why", f"Verdict: {_decide(draw)}")
    return "\n".join(lines)


def _decide(draw: Draw) -> str:
    return draw.choose("verdict", ("yes", "no"))


def _write_label(label: str) -> str:
    rest = "rationale: why\nsupporting_excerpt: null\ncontradicting_excerpt: null"
    return f"sentence: s\nlabel: {label}\n{rest}"
