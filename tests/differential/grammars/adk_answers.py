"""What a scripted judge answers, in the words that ADK's prompts ask for."""

import json
from collections.abc import Iterator
from typing import Any

from agentevals.configs.dialects.adk.adk_config_criteria import CRITERIA, Judged
from agentevals.graders import GRADERS
from tests.differential.draw import Draw
from tests.differential.grammars.adk_configs import VERTEX

Json = dict[str, Any]

JUDGED = tuple(name for name, model in CRITERIA.items() if issubclass(model, Judged))
KINDS = {
    "rubric_based_final_response_quality_v1": "FINAL_RESPONSE_QUALITY",
    "rubric_based_tool_use_quality_v1": "TOOL_USE_QUALITY",
    "rubric_based_multi_turn_trajectory_quality_v1": "TRAJECTORY_QUALITY",
}
_SAID = (
    *('"valid"', '"invalid"', '"valid"', '"invalid"', "true", "false", '"almost"', '"VALID"'),
    *('["valid"]', '"partially_valid"', '"maybe"', "valid"),
)
_LABELS = ("supported", "supported", "unsupported", "not_applicable", "contradictory", "disputed")
_BROKEN = ("no answer that could be read", "{}", "None", "429")


def list_rubrics(config: Json, case: Json) -> Iterator[Json]:
    """Every rubric that a judge may be asked about."""
    for criterion in config["criteria"].values():
        yield from (criterion.get("rubrics", ()) if isinstance(criterion, dict) else ())
    yield from case.get("rubrics") or ()
    for turn in case.get("conversation") or ():
        yield from turn.get("rubrics") or ()


def write_script(draw: Draw, metric: str, rubrics: list[Json]) -> list[str]:
    """The answers of one conversation, one after the other. Some cannot be used."""
    return [
        draw.choose("broken", _BROKEN)
        if draw.chance(0.06)
        else _write_answer(draw, metric, rubrics)
        for _ in range(draw.count(1, 8))
    ]


def _write_answer(draw: Draw, metric: str, rubrics: list[Json]) -> str:
    if metric in VERTEX:
        return _write_own(draw, metric)
    if metric in KINDS:
        return _write_verdicts(draw, rubrics)
    if metric == "hallucinations_v1":
        return _write_labels(draw)
    if metric == "per_turn_user_simulator_quality_v1":
        return f'{{"is_valid": {draw.choose("is_valid", ("true", "false", "maybe"))}}}'
    return f'{{"is_the_agent_response_valid": {draw.choose("validity", _SAID)}}}'


def _write_own(draw: Draw, metric: str) -> str:
    """What ours asks for, where ADK asks Vertex AI."""
    names: dict[str, str] = getattr(GRADERS[metric], "rubrics", {})
    said = [
        {"id": name, "rationale": "why", "verdict": draw.choose("verdict", ("yes", "no"))}
        for name in names
    ]
    return json.dumps({"verdicts": said})


def _write_verdicts(draw: Draw, rubrics: list[Json]) -> str:
    blocks = []
    for rubric in rubrics:
        if draw.chance(0.1):
            continue  # the judge leaves it out
        name = rubric.get("rubric_id") or rubric["rubricId"]
        verdict = draw.choose("verdict", ("yes", "no", "Yes.", "it depends"))
        shown = draw.choose(
            "shown", ("It holds for {}.", "**It holds for {}.**", "- It  holds for {}.")
        )
        lines = [f"Property: {shown.format(name)}", "Rationale: why", f"Verdict: {verdict}"]
        if draw.chance(0.8):
            lines.insert(0, f"ID: {name}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) or "nothing"


def _write_labels(draw: Draw) -> str:
    return "\n".join(
        f"sentence: s\nlabel: {draw.choose('label', _LABELS)}\nrationale: why\n"
        "supporting_excerpt: null\ncontradicting_excerpt: null"
        for _ in range(draw.count(1, 4))
    )
