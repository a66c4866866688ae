"""Scores that follow from other facts: 1.11 and 2.18."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.conformance.agentevals_model.inputs import Group, Inputs
from tests.conformance.agentevals_model.picture import Picture, Told

TRAJECTORY, RESPONSE = "tool_trajectory_avg_score", "response_match_score"


@dataclass(frozen=True)
class Settings:
    """The settings of a builtin: those of the config, and the options that win over them."""

    threshold: float = 0.5
    match: str = "EXACT"

    @classmethod
    def of(cls, name: str, inputs: Inputs) -> "Settings":
        """Named with -m it has the options only; without any -m, they win over the config."""
        words = list(inputs.words)
        named = [words[at + 1] for at, word in enumerate(words) if word == "-m"]
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
    for name in picture.marks:  # of the last conversation: a table names none
        if _lacks(name, inputs.groups[-1]):
            picture.marks[name] = "----"
    for trace, group in zip(picture.traces, inputs.groups, strict=False):
        for metric in trace["metrics"]:
            if metric["score"] is not None and _lacks(metric["metric_name"], group):
                metric |= {"score": None, "eval_status": "NOT_EVALUATED"}
                metric["per_invocation_scores"] = []
                metric.pop("details", None)
                picture.settle()


def _lacks(name: str, group: Group) -> bool:
    if name == RESPONSE:
        return any(turn.is_silent or turn.is_open for turn in group.turns)
    return name == TRAJECTORY and any(turn.lacks_calls for turn in group.turns)
