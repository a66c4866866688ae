"""What comes of the answers of a scripted judge: 2.11, and what ADK's dialect decides (7.9, 7.11).

A judge is recorded with its answers; every question is given all of them, from the first on.
"""

from typing import Any

from tests.conformance import adk_deviations, adk_judged, surroundings
from tests.conformance.adk_facts import Facts
from tests.conformance.agentevals_model.inputs import Group, Inputs
from tests.conformance.agentevals_model.judged import Settings
from tests.conformance.agentevals_model.picture import Picture, Told
from tests.conformance.agentevals_model.verdict import choose_case

_MATCH, _SENTENCES = "final_response_match_v2", "hallucinations_v1"
_COHERENCE = "response_evaluation_score"


def ask_judge(picture: Picture, inputs: Inputs) -> None:
    """2.11: every judged builtin runs on the judge, and its verdicts are counted as here."""
    script = surroundings.read(inputs.folder).get("judge")
    if not script:
        return
    for trace, group in zip(picture.traces, inputs.groups, strict=True):
        for metric in trace["metrics"]:
            if _asks(metric["metric_name"], inputs):
                facts = _collect(metric["metric_name"], group, inputs, script)
                bench = adk_judged.Bench(facts)
                made = adk_deviations.settle(facts, bench)
                if bench.decided or metric["error"]:
                    _replace(metric, made)
    picture.settle()


def _asks(name: str, inputs: Inputs) -> bool:
    entries = [e for e in inputs.config.get("evaluators") or () if isinstance(e, dict)]
    return any(e.get("name") == name and e.get("judge_model") for e in entries)


def _collect(name: str, group: Group, inputs: Inputs, script: list[str]) -> Facts:
    """The facts of one conversation; only turns that have an expectation are compared."""
    case = choose_case(group, inputs)
    expected = None if case is None else case["conversation"]
    turns = group.turns
    if name == _MATCH and expected is not None:
        expected, turns = expected[: len(turns)], turns[: len(expected)]
    told = [{"final_response": {"parts": [{"text": turn.answer}]}} for turn in turns]
    threshold = Settings.of(name, inputs).threshold
    threshold = 1 + 4 * threshold if name == _COHERENCE else threshold  # ADK's is from 1 to 5
    return Facts(
        metric=name,
        case={"conversation": expected},
        turns=told,
        criterion={"threshold": threshold, "rubrics": _list_rubrics(name, inputs)},
        own={},
        script=script[:1] * len(turns) if name == _SENTENCES else script * len(turns),
    )


def _list_rubrics(name: str, inputs: Inputs) -> list[Told]:
    entry = next(e for e in inputs.config["evaluators"] if e["name"] == name)
    listed = [
        {"id": f"rubric_{at}", "text": one} if isinstance(one, str) else one
        for at, one in enumerate(entry.get("rubrics") or ())
    ]
    return [{"rubric_id": r["id"], "rubric_content": {"text_property": r["text"]}} for r in listed]


def _replace(metric: Told, made: dict[str, Any]) -> None:
    metric |= {"score": made["score"], "eval_status": made["status"]}
    metric |= {"per_invocation_scores": made["per_turn"], "error": None}
    metric.pop("details", None)
