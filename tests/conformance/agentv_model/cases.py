"""A whole test of an EVAL file: its evaluators, their names, and what they come to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.conformance.agentv_model import (
    BORDERLINE,
    CONFIG,
    MISTAKE,
    NOBODY,
    PASSES,
    Entry,
    RefusedError,
    Said,
    composites,
    fields,
    judges,
    metrics,
    negate,
    normalize,
    programs,
    texts,
    trajectories,
)

_OF_CALLS = {
    "tool_trajectory": {"type"},
    "skill_trigger": {"type"},
    "execution_metrics": {"max_tool_calls", "target_exploration_ratio"},
}
_LONGEST = 120  # characters of a usual name
_CHILDREN = ("assertions", "assert", "evaluators")


class Desk:
    """Judges the evaluators of one test. `recorded` stands in where only a recording knows."""

    def __init__(self, test: Entry, agent: Entry, answer: str, scripted: Mapping[str, str]) -> None:
        self._test, self._agent, self._answer, self._scripted = test, agent, answer, scripted
        self._calls = [c for m in agent["output"] for c in m.get("tool_calls") or ()]

    def judge(self, entry: Any) -> Said | None:
        """What an evaluator says; None where nobody but the recording can know."""
        if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
            raise RefusedError(MISTAKE)
        written, entry = entry, _merge_config(entry)
        kind = normalize(entry["type"])
        opposite = kind.startswith("not_")
        kind = kind.removeprefix("not_")
        weight, required = _read_weight(entry), _read_gate(entry)
        said = self._say(kind, entry)
        if said is None:
            return None
        if bool(entry.get("negate", False)) != opposite:
            said = negate(said)
        named = name_entry(kind, entry)
        said = said.by(*_decide(written, entry))
        return replace(said, name=named, weight=weight, required=required)

    def _say(self, kind: str, entry: Entry) -> Said | None:
        if kind in texts.ALL:
            return texts.judge(kind, entry, self._answer)
        if kind in _OF_CALLS and self._are_calls_unknown(kind, entry):
            return Said(score=None, hidden=True).by("1.11")
        if kind in metrics.ALL:
            return metrics.judge(kind, entry, self._agent)
        wanted = self._test.get("expected_output")
        ways: dict[str, Callable[[], Said | None]] = {
            "tool_trajectory": lambda: trajectories.judge(entry, self._calls),
            "skill_trigger": lambda: trajectories.judge_skill(entry, self._calls),
            "field_accuracy": lambda: fields.judge(entry, self._answer, wanted),
            "code_judge": lambda: programs.judge(entry, self._answer),
            "llm_judge": lambda: judges.judge(entry, self._scripted),
            "rubric": lambda: judges.judge_rubrics(entry, self._scripted),
            "composite": lambda: self._compose(entry),
        }
        if kind not in ways:
            raise RefusedError(MISTAKE)
        return ways[kind]()

    def _are_calls_unknown(self, kind: str, entry: Entry) -> bool:
        """A message that says nothing and calls nothing may have lost its calls (1.11)."""
        hidden = any(not m.keys() & {"content", "tool_calls"} for m in self._agent["output"])
        return hidden and (kind != "execution_metrics" or bool(_OF_CALLS[kind] & entry.keys()))

    def _compose(self, entry: Entry) -> Said | None:
        listed = next((entry[key] for key in _CHILDREN if key in entry), None)
        if not isinstance(listed, list) or not listed:
            raise RefusedError(MISTAKE)
        children = [self.judge(child) for child in listed]
        if any(child is None for child in children):
            return None
        known = [child for child in children if child is not None]
        unnamed = any("name" not in child for child in listed)
        found = composites.combine(entry, known, self._scripted)
        return found.by("1.1") if found and unnamed else found


def _decide(written: Entry, entry: Entry) -> list[str]:
    """What of an entry AgentV drops, or calls by another name."""
    judge = written["type"].endswith(("judge", "grader"))
    cut = len(name_entry(normalize(entry["type"]), entry)) == _LONGEST
    return [
        *(["1.1"] if "min_score" in entry or cut else []),
        *(["3.19"] if written is not entry else []),
        *(["3.1"] if judge and ("name" not in entry or written["type"].endswith("judge")) else []),
    ]


def _merge_config(entry: Entry) -> Entry:
    """Settings in `config` count like those beside it (3.19); a program is handed its own."""
    config = entry.get("config")
    kind = normalize(str(entry.get("type")))
    if not isinstance(config, dict) or (
        kind == "code_judge" and not {"command", "script"} & config.keys()
    ):
        return entry
    if any(entry[key] != value for key, value in config.items() if key in entry):
        raise RefusedError(CONFIG)
    return {key: value for key, value in entry.items() if key != "config"} | config


def _read_weight(entry: Entry) -> float:
    weight = entry.get("weight", 1.0)
    if type(weight) not in (int, float) or not 0 <= weight <= 1e9:
        raise RefusedError(MISTAKE)
    return float(weight)


def _read_gate(entry: Entry) -> float | None:
    required, least = entry.get("required"), entry.get("min_score")
    if required is not None and type(required) not in (int, float, bool):
        raise RefusedError(MISTAKE)
    if required and least is not None:
        return float(least)
    if isinstance(required, bool) or required is None:
        return PASSES if required else None
    if not 0 <= required <= 1:
        raise RefusedError(MISTAKE)
    return float(required)


def name_entry(kind: str, entry: Entry) -> str:
    """The name it has, or the usual one, in one line."""
    name = entry.get("name")
    if name is None:
        usual, value = kind.replace("_", "-"), entry.get("value")
        name = usual
        if isinstance(value, str):
            name = f"{usual}-{value[:30] if kind == 'regex' else value}"
        elif isinstance(value, list):
            name = f"{usual}-{len(value)}"
        elif kind == "skill_trigger":
            name = f"{usual}-{entry.get('skill')}"
        elif kind == "rubric":
            name = "rubrics"
    return str(name)[:_LONGEST] if "name" not in entry else str(name)


def list_entries(test: Entry) -> list[Any]:
    """The evaluators of a test: its rubrics, its list, with all texts as one rubric."""
    found: list[Any] = []
    if test.get("rubrics") is not None:
        found.append({"name": "rubric", "type": "rubric", "rubrics": test["rubrics"]})
    inner = test.get("execution") or {}
    places = [(test, "assertions"), (test, "assert"), *((inner, key) for key in _CHILDREN)]
    places.append((test, "evaluators"))
    listed = next((holder[key] for holder, key in places if holder.get(key) is not None), [])
    told = [one for one in listed if isinstance(one, str)]
    for one in listed:
        if not isinstance(one, str):
            found.append(one)
        elif told:
            found.append({"name": "rubrics", "type": "rubric", "rubrics": told})
            told = []
    return found


def require_entries(test: Entry) -> list[Any]:
    """The same; a test that nobody judges is an error (3.11)."""
    if found := list_entries(test):
        return found
    raise RefusedError(NOBODY)


def judge_case(said: Sequence[Said], pass_at: float = PASSES) -> tuple[float | None, str]:
    """The score and the verdict of the test."""
    scored = [(one.weight, one.score) for one in said if one.score is not None]
    total = sum(weight for weight, _ in scored)
    score = sum(weight * mark for weight, mark in scored) / total if total else None
    against = any(
        one.misses_gate or (one.score is not None and not one.passes)
        for one in said
        if not one.failed
    )
    if any(one.failed for one in said):
        return score, "fail" if against else "error"
    if any(one.score is None or one.misses_gate for one in said) or score is None:
        return score, "fail"
    if score >= pass_at:
        return score, "pass"
    return score, "borderline" if score >= min(BORDERLINE, pass_at) else "fail"
