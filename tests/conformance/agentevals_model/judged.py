"""Scores that follow from other facts: 1.11 and 2.18."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.conformance.agentevals_model.inputs import Group, Inputs
from tests.conformance.agentevals_model.picture import Picture, Told

TRAJECTORY, RESPONSE = "tool_trajectory_avg_score", "response_match_score"
_SENTENCES, _WHOLE = "hallucinations_v1", "rubric_based_multi_turn_trajectory_quality_v1"
# what each metric has to know of a turn: what the agent said, and what it called
_BY_ANSWER = frozenset(
    {
        *(RESPONSE, _SENTENCES, _WHOLE, "final_response_match_v2", "safety_v1"),
        *("rubric_based_final_response_quality_v1", "response_evaluation_score"),
        "multi_turn_task_success_v1",
    }
)
_BY_CALLS = frozenset(
    {
        *(TRAJECTORY, _SENTENCES, _WHOLE, "rubric_based_tool_use_quality_v1"),
        *("multi_turn_trajectory_quality_v1", "multi_turn_tool_use_quality_v1"),
    }
)


@dataclass(frozen=True)
class Settings:
    """The settings of a builtin: those of the config, and the options that win over them."""

    threshold: float = 0.5
    match: str = "EXACT"

    @classmethod
    def of(cls, name: str, inputs: Inputs) -> "Settings":
        """Named with -m it has the options only; without any -m, they win over the config."""
        named = inputs.named
        options = inputs.options
        entry = {} if name in named else _find_entry(name, inputs)
        applies = name in named or not named
        threshold = entry.get("threshold")
        threshold = 0.5 if threshold is None else threshold
        match = entry.get("trajectory_match_type") or "EXACT"
        if applies:
            threshold = float(options.get("-t", threshold))
            match = options.get("--trajectory-match-type", match)
        return cls(threshold, match.upper())

    def decide(self, score: float) -> str:
        return "PASSED" if score >= self.threshold else "FAILED"


def _find_entry(name: str, inputs: Inputs) -> Told:
    entries = [e for e in inputs.config.get("evaluators") or () if isinstance(e, dict)]
    return next((entry for entry in entries if entry.get("name") == name), {})


def judge_calls_again(picture: Picture, inputs: Inputs) -> None:
    """Where calls are others now, each turn is compared anew."""
    settings = Settings.of(TRAJECTORY, inputs)
    for metric, comparisons in picture.list_comparisons():
        for comparison in comparisons:
            same = are_as_expected(comparison["expected"], comparison["actual"], settings.match)
            comparison["matched"] = same
        if metric["score"] is None or not comparisons:
            continue
        scores = [float(comparison["matched"]) for comparison in comparisons]
        score = sum(scores) / len(scores)
        metric |= {"score": score, "per_invocation_scores": scores}
        metric["eval_status"] = settings.decide(score)
        picture.settle()


def are_as_expected(expected: list[Told], actual: list[Told], match: str) -> bool:
    """Whether a turn made the calls that were expected, by the three ways to compare."""
    if match == "EXACT":
        return [_key(call) for call in expected] == [_key(call) for call in actual]
    if match == "ANY_ORDER":
        wanted, made = (Counter(map(_key, calls)) for calls in (expected, actual))
        return wanted <= made
    left = iter([_key(call) for call in actual])
    return all(_key(call) in left for call in expected)


def _key(call: Told) -> str:
    """Equal for equal calls: numbers by their value, objects whatever the order of their keys."""
    return json.dumps([call["name"], _level(call["args"])], sort_keys=True)


def _level(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _level(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_level(inner) for inner in value]
    return float(value) if isinstance(value, int | float) else value


def leave_unknown_unjudged(picture: Picture, inputs: Inputs) -> None:
    """1.11: without the words of an answer nobody knows it, nor whether it asked for tools."""
    for invocation, turn in picture.list_turns(inputs):
        if turn.is_silent or turn.is_open:
            invocation["final_response"] = None
    for name, marks in picture.marks.items():
        lacking = [_lacks(name, group, inputs) for group in inputs.groups]
        picture.marks[name] = [
            "----" if lacks else mark for mark, lacks in zip(marks, lacking, strict=True)
        ]
    for trace, group in zip(picture.traces, inputs.groups, strict=False):
        for metric in trace["metrics"]:
            if _lacks(metric["metric_name"], group, inputs):
                metric |= {"score": None, "eval_status": "NOT_EVALUATED", "error": None}
                metric["per_invocation_scores"] = []
                metric.pop("details", None)
                picture.settle()


def _lacks(name: str, group: Group, inputs: Inputs) -> bool:
    """Whether something is unknown that a metric judges by."""
    by_answer = name in _BY_ANSWER or _find_entry(name, inputs).get("type") == "openai_eval"
    return (
        (by_answer and any(turn.is_silent or turn.is_open for turn in group.turns))
        or (name in _BY_CALLS and any(turn.lacks_calls for turn in group.turns))
        or (name == _SENTENCES and any(turn.lacks_answers for turn in group.turns))
    )
