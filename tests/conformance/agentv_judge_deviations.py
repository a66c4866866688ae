"""Where judges of ours differ from AgentV's on purpose."""

import json
from collections.abc import Callable
from typing import Any

from tests.conformance.rows import Difference, explains

Recorded = dict[str, Any]
Rule = Callable[[Difference, Recorded, Recorded, Recorded], bool]


def explain(difference: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> str:
    """The number of the decision that asks for this difference, or nothing."""
    return next((n for n, rule in _RULES if explains(rule, difference, case, recorded, ours)), "")


def _no_answer_of_use(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A judge without a usable answer is an error. AgentV skips it, and goes by the others."""
    skipped = '"verdict": "skip"' in json.dumps(recorded.get("evaluators", []))
    return skipped and any(one.get("error") for one in ours.get("evaluators") or ())


def _nobody_of_that_name(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A judge that is not there is an error, not a score of 0."""
    return any("no judge is called" in one.get("error", "") for one in ours.get("evaluators") or ())


def _required_of_the_case(
    d: Difference, case: Recorded, recorded: Recorded, ours: Recorded
) -> bool:
    """The case fails with a required item, and not only the evaluator."""
    failed = [one["verdict"] for one in recorded.get("evaluators", ())] == ["fail"]
    return case["group"] == "rubric" and d.where == "verdict" and failed and d.ours == "fail"


def _not_required(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A criterion without `required` that is missed only lowers the score."""
    written = '"required": true' in json.dumps(case["test"])
    return (
        case["group"] == "rubric"
        and d.where.endswith("verdict")
        and d.recorded == "fail"
        and not written
    )


def _left_out(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """A criterion that the judge leaves out counts as not met."""
    evaluators = ours.get("evaluators") or ()
    return any("the judge left it out" in miss for one in evaluators for miss in one["misses"])


def _least_score(d: Difference, case: Recorded, recorded: Recorded, ours: Recorded) -> bool:
    """`min_score` of later releases is heeded, where the reference drops it."""
    return case["group"] == "rubric" and '"min_score"' in json.dumps(case["test"])


def _template_of_the_file(
    d: Difference, case: Recorded, recorded: Recorded, ours: Recorded
) -> bool:
    return d.where.startswith("evaluators/0/prompt") and "evaluatorTemplate" in json.dumps(
        case["test"]
    )


def _prompt_that_shows_nothing(
    d: Difference, case: Recorded, recorded: Recorded, ours: Recorded
) -> bool:
    """Without a place, or as the name of a file, the reference shows the judge no answer."""
    return d.where == "evaluators/0/prompt" and "{{" not in str(d.recorded)


_RULES: tuple[tuple[str, Rule], ...] = (
    ("1.1", _least_score),
    ("1.1", _prompt_that_shows_nothing),
    ("1.3", _nobody_of_that_name),
    ("3.10", _required_of_the_case),
    ("3.10", _not_required),
    ("3.10", _left_out),
    ("3.12", _no_answer_of_use),
    ("3.15", _template_of_the_file),
)
