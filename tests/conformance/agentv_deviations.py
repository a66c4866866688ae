"""Where ours differs from AgentV on purpose: which difference is explained by which decision."""

import re
from collections.abc import Callable
from typing import Any

from tests.conformance import agentv_composition_deviations as of_compositions
from tests.conformance import agentv_judge_deviations as of_judges
from tests.conformance import agentv_trajectory_deviations as of_trajectories
from tests.conformance.rows import Difference, explains

Recorded = dict[str, Any]
Rule = Callable[[Difference, Recorded, Recorded, Recorded], bool]


def explain(difference: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> str:
    """The number of the decision that asks for this difference, or nothing."""
    found = next((n for n, rule in _RULES if explains(rule, difference, case, recorded, ours)), "")
    found = found or of_trajectories.explain(difference, case, recorded, ours)
    found = found or of_compositions.explain(difference, case, recorded, ours)
    return found or of_judges.explain(difference, case, recorded, ours)


def _refused(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """What AgentV drops when it loads is an error here, with its place."""
    return bool(recorded.get("load_messages")) and bool(ours.get("refused"))


def _no_answer_of_a_program(
    d: Difference, case: Recorded, recorded: Recorded, ours: Recorded
) -> bool:
    """A program that did not answer with one JSON object is an error, not a score of 0."""
    return _is_error_for_zero(case, recorded, ours, "printed", "exited with code")


def _no_score_of_a_program(
    d: Difference, case: Recorded, recorded: Recorded, ours: Recorded
) -> bool:
    """Nor is one that gave no score, or could not be started; its checks may stand for one."""
    if case["id"] in {"cj-score-missing", "cj-score-null"}:
        return "score" in d.where or "verdict" in d.where
    return _is_error_for_zero(case, recorded, ours, "gave ", "cannot be started")


def _is_error_for_zero(case: Recorded, recorded: Recorded, ours: Recorded, *words: str) -> bool:
    if case["group"] != "code_judge" or not ours.get("evaluators"):
        return False
    (one,), (theirs,) = ours["evaluators"], recorded["evaluators"]
    return theirs["score"] == 0 and any(word in one["error"] for word in words)


def _config_of_a_program(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """`config:` is what a program gets as its config, and not a level below that."""
    return case["id"] == "cj-config-key"


def _label_of_the_opposite(
    d: Difference, case: Recorded, recorded: Recorded, ours: Recorded
) -> bool:
    """The verdict is that of the score; AgentV keeps `borderline` where a score is negated."""
    entries = case["test"].get("assertions", ())
    negated = any(one.get("negate") for one in entries if isinstance(one, dict))
    return negated and d.where.startswith("evaluators/") and d.where.endswith("/verdict")


def _named_apart(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A name is one line, and no other evaluator of the test has it: one would hide the other."""
    theirs = [one["name"] for one in recorded.get("evaluators", ())]
    unfit = len(set(theirs)) < len(theirs) or not all(name.isprintable() for name in theirs)
    return unfit and d.where.startswith("evaluators/") and d.where.endswith("/name")


def _unknown_judge(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """An evaluator that names no judge there is, is refused when the file is read."""
    return any("there is no target" in problem for problem in ours.get("problems", ()))


def _least_score(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """`min_score`, which later releases read, is not dropped."""
    entries = case["test"].get("assertions", ())
    return any("min_score" in one for one in entries if isinstance(one, dict))


def _nothing_weighs(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """The mean of nothing is none; AgentV says 0. Either way the test fails."""
    entries = case["test"].get("assertions", ())
    weights = [one.get("weight", 1) if isinstance(one, dict) else 1 for one in entries]
    return d.where == "score" and bool(weights) and not any(weights)


def _not_recorded(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """What was not recorded is unknown; AgentV gives it 0."""
    said = [miss for one in ours.get("evaluators", ()) for miss in one["misses"]]
    return any("recorded" in miss for miss in said) and re.search(
        "No cost data|data not available", str(recorded)
    )


_RULES: tuple[tuple[str, Rule], ...] = (
    ("1.1", _refused),
    ("1.1", _named_apart),
    ("1.1", _unknown_judge),
    ("1.1", _least_score),
    ("1.10", _nothing_weighs),
    ("1.11", _not_recorded),
    ("1.3", _no_score_of_a_program),
    ("3.13", _config_of_a_program),
    ("3.14", _no_answer_of_a_program),
    ("3.17", _label_of_the_opposite),
)
