"""What ours says where a decision asks for something else than what ADK said.

Each rule looks at what was given, and computes what has to come instead; several can act on one
value, one after the other. The numbers are those of `docs/compatibility.md`.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.conformance import adk_judged
from tests.conformance.adk_facts import Facts, Recorded, collect
from tests.conformance.adk_refused import find_refused
from tests.conformance.rows import Difference, differences

COUNTERS = (
    *("tool_call_count_v1", "inference_call_count_v1", "token_usage_v1"),
    "invocation_duration_v1",
)
_NEEDS_CALLS = frozenset(
    {
        *("tool_trajectory_avg_score", "rubric_based_tool_use_quality_v1", "hallucinations_v1"),
        *("rubric_based_multi_turn_trajectory_quality_v1", "multi_turn_trajectory_quality_v1"),
        "multi_turn_tool_use_quality_v1",
    }
)
_UNEVALUATED: Recorded = {"score": None, "status": "NOT_EVALUATED", "per_turn": []}
_ERROR: Recorded = {"score": None, "status": "ERROR", "per_turn": []}
_UNCALLABLE = frozenset({"one_too_few"})  # functions whose parameters fit neither form

Rule = Callable[[Facts, Recorded, Recorded], Recorded | None]


@dataclass
class Expected:
    """What ours has to say, and the decisions by which it is not what ADK said."""

    told: Recorded
    explained: tuple[tuple[str, Difference], ...] = ()


@dataclass
class _Told:
    """One metric of one case: what has to come, as far as the rules have been asked."""

    value: Recorded
    decided: list[tuple[str, Difference]] = field(default_factory=list)

    def change(self, number: str, value: Recorded | None) -> None:
        if value is not None:
            self.decided += [(number, each) for each in differences(self.value, value)]
            self.value = value


def read_seen(score: Recorded) -> Recorded:
    """A rubric score; what a function has seen is JSON in its rationale."""
    try:
        seen = json.loads(score.get("rationale") or "")
    except ValueError:
        seen = score.get("rationale")
    return {"rubric_id": score["rubric_id"], "score": score["score"], "seen": seen}


def expect(given: Recorded, recorded: Recorded) -> Expected:
    """What ours has to say about a run."""
    if "refused" in recorded:
        return Expected({"refused": True})
    if slip := find_refused(given["config"]):
        return Expected({"refused": True}, (("1.1", Difference(slip, "accepted", "refused")),))
    cases: Recorded = {}
    explained: list[tuple[str, Difference]] = []
    for eval_id, metrics in recorded["cases"].items():
        if not given["actual"][eval_id]:
            explained.append(("1.7", Difference(f"cases/{eval_id}", "graded", "nothing recorded")))
            continue
        cases[eval_id] = {}
        for name, one in metrics.items():
            if name not in COUNTERS:
                told = _expect_metric(collect(given, eval_id, name), one)
                cases[eval_id][name] = told.value
                explained += [
                    (number, Difference(f"cases/{eval_id}/{name}/{d.where}", d.recorded, d.ours))
                    for number, d in told.decided
                ]
    code = _expect_exit(given, cases)
    if code != recorded["exit"]:
        explained.append(("1.4", Difference("exit", recorded["exit"], code)))
    return Expected({"refused": False, "cases": cases, "exit": code}, tuple(explained))


def _expect_exit(given: Recorded, cases: Recorded) -> int:
    """0 only if everything was recorded, evaluated and passed; otherwise by the worst (1.5)."""
    told = [one for metrics in cases.values() for one in metrics.values()]
    if any(one["status"] == "FAILED" for one in told):
        return 1
    blames = {one.get("blame") for one in told}
    if "outside" in blames:
        return 3
    if "input" in blames or not cases:
        return 2
    everything = len(cases) == len(given["actual"]) and told
    return 0 if everything and all(one["status"] == "PASSED" for one in told) else 1


def _expect_metric(facts: Facts, one: Recorded) -> _Told:
    told = _Told(_read(facts, one))
    for number, rule in _RULES:
        told.change(number, rule(facts, one, told.value))
    _judge(facts, told)
    for number, rule in _LAST:
        told.change(number, rule(facts, one, told.value))
    return told


def _read(facts: Facts, one: Recorded) -> Recorded:
    """What ADK said, in the form in which ours is described."""
    if "aborts" in one:
        return dict(_UNEVALUATED)
    per_turn = one["per_turn"] if any(each is not None for each in one["per_turn"]) else []
    told: Recorded = {"score": one["score"], "status": one["status"], "per_turn": per_turn}
    if facts.own:
        told |= {"raw": one["score"], "rubrics": [read_seen(r) for r in one.get("rubrics", ())]}
    return told


def _scale(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    """Scores of a function are shares of its range; the raw one is beside them."""
    if not facts.own or "aborts" in one:
        return None
    each = [facts.share(score) for score in told["per_turn"]]
    return told | {"score": facts.share(told["score"]), "per_turn": each}


def _name_persona(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    """Without ADK, of a persona that it brings along only the name is known."""
    scenario = facts.case.get("conversation_scenario") or {}
    if not isinstance(scenario.get("user_persona"), str) or not told.get("rubrics"):
        return None
    [seen] = told["rubrics"]
    if not isinstance(seen["seen"], dict) or not seen["seen"].get("scenario"):
        return None
    persona = {"id": scenario["user_persona"], "description": "", "behaviors": []}
    shown = {**seen["seen"], "scenario": {**seen["seen"]["scenario"], "user_persona": persona}}
    return told | {"rubrics": [{**seen, "seen": shown}]}


def _err(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    """What a function raises is an error, where ADK logs it and goes on."""
    if not facts.own or "raised" not in one:
        return None
    return _ERROR | {"blame": "input" if facts.function in _UNCALLABLE else "evaluator"}


def _keep_others(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    """What ends the whole run there is the error of one metric here."""
    return dict(_ERROR) if facts.own and "aborts" in one and not facts.uneven else None


def _withhold(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    """A metric that was not evaluated has no score; its own is beside it."""
    unevaluated = told["status"] == "NOT_EVALUATED" and told["score"] is not None
    return told | {"score": None} if unevaluated else None


def _pass_information(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    return told | {"status": "PASSED"} if told["status"] == "INFORMATIONAL" else None


def _refuse_no_number(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    return dict(_ERROR) if one.get("no_number") else None


def _call_as_first(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    """A function of the first release is called as then, and the threshold decides."""
    first = one.get("as_first_release")
    if first is None:
        return None
    passed = first["score"] >= facts.threshold
    return {
        "score": facts.share(first["score"]),
        "status": "PASSED" if passed else "FAILED",
        "per_turn": [facts.share(score) for score in first["per_turn"]],
        "raw": first["score"],
    }


def _judge(facts: Facts, told: _Told) -> None:
    """A judged metric, by what the judge was told to say, where a decision is about that."""
    if not facts.criterion.get("judge_model_options") or not _is_judged(facts):
        return
    bench = adk_judged.Bench(facts)
    made = settle(facts, bench)
    for number in sorted(bench.decided):
        told.change(number, made)


def settle(facts: Facts, bench: adk_judged.Bench) -> Recorded:
    """What a judged metric comes to by what the judge was told to say."""
    try:
        each = adk_judged.judge(facts, bench)
    except adk_judged.UnreachableError:
        return dict(_ERROR) | {"blame": "outside"}
    except adk_judged.UnusableError:
        return dict(_ERROR)
    score = adk_judged.average(facts, each)
    if score is None:
        return dict(_UNEVALUATED)
    threshold = facts.threshold
    if facts.metric == "response_evaluation_score":  # from 1 to 5 there, from 0 to 1 here
        threshold = (threshold - 1) / 4
    status = "PASSED" if score >= threshold else "FAILED"
    return {"score": score, "status": status, "per_turn": each}


def _is_judged(facts: Facts) -> bool:
    if facts.metric == "per_turn_user_simulator_quality_v1":
        return facts.case.get("conversation_scenario") is not None
    return facts.metric != "final_response_match_v2" or facts.expected is not None


def _compare_no_turns_apart(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    return dict(_UNEVALUATED) if facts.uneven else None


def _leave_unknown(facts: Facts, one: Recorded, told: Recorded) -> Recorded | None:
    """A turn of which nothing between question and answer was recorded shows no tool call."""
    unknown = facts.metric in _NEEDS_CALLS and not facts.own and facts.has_unknown_calls
    return dict(_UNEVALUATED) if unknown else None


_RULES: tuple[tuple[str, Rule], ...] = (
    ("5.5", _scale),
    ("5.13", _name_persona),
    ("1.3", _err),
    ("1.6", _keep_others),
    ("1.3", _withhold),
    ("5.12", _pass_information),
    ("2.2", _refuse_no_number),
    ("5.2", _call_as_first),
)
_LAST: tuple[tuple[str, Rule], ...] = (
    ("1.11", _leave_unknown),
    ("5.10", _compare_no_turns_apart),
)
