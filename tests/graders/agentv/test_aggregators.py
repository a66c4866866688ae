import pytest
from pydantic import ValidationError

from agentevals.graders.agentv import Part
from agentevals.graders.agentv.aggregators import Aggregator
from agentevals.model.cases import Status
from agentevals.model.results import Result


def part(name, score, weight=1.0, **fields):
    status = Status.PASSED if (score or 0) >= 0.8 else Status.FAILED
    usual = {"status": Status.NOT_EVALUATED if score is None else status, "threshold": 0.8}
    result = Result(name=name, type="t", score=score, **(usual | fields))
    return Part(result=result, weight=weight)


def judged(settings, *parts):
    return Aggregator.model_validate(settings).compute(parts)


PARTS = (part("a", 1.0), part("b", 0.7), part("c", 0.1), part("d", None))


@pytest.mark.parametrize(
    ("settings", "score", "status"),
    [
        ({}, 0.6, None),
        ({"type": "minimum"}, 0.1, None),
        ({"type": "maximum"}, 1.0, None),
        ({"type": "all_or_nothing"}, 0.0, None),
        ({"type": "all-or-nothing", "threshold": 0.1}, 1.0, None),
        ({"type": "threshold", "threshold": 0.6}, 2 / 3, Status.PASSED),
        ({"type": "threshold", "threshold": 2 / 3}, 2 / 3, Status.PASSED),
        ({"type": "threshold", "threshold": 0.7}, 2 / 3, Status.FAILED),
        ({"type": "safety_gate", "required": ["a", "b"]}, 0.6, None),
        ({"type": "safety_gate", "required": ["b"], "threshold": 0.7}, 0.6, None),
        ({"type": "safety_gate", "required": ["b"], "threshold": 0.8}, 0.0, Status.FAILED),
        ({"type": "safety_gate", "required": ["d"]}, 0.0, Status.FAILED),
    ],
)
def test_several_scores_become_one(settings, score, status):
    grade = judged(settings, *PARTS)

    assert grade.score == pytest.approx(score)
    assert grade.status is status


def test_a_gate_says_who_shut_it_and_what_was_missed_besides():
    silent = part("e", 0.9, misses=("a comma",))
    grade = judged({"type": "safety_gate", "required": ["c", "d"]}, *PARTS, silent)

    assert grade.misses == (
        "[c] scored 0.1, below the gate of 0.6",
        "[d] is required and was not evaluated",
        "[e] a comma",
    )


def test_a_share_says_how_many_passed_and_which_only_nearly():
    grade = judged({"type": "threshold", "threshold": 1}, part("a", 1.0), part("b", 0.7))

    assert grade.score == 1
    assert judged({"type": "threshold", "threshold": 1}, part("b", 0.6)).score == 1
    assert grade.reasoning == (
        "2/2 evaluators passed (threshold: 1); "
        "Warning: 1 borderline evaluator(s) counted as passing"
    )


@pytest.mark.parametrize(
    "fields",
    [{"threshold": 0.9}, {"threshold": 0.5, "status": Status.FAILED}, {"vetoes": True}],
    ids=["threshold", "verdict", "veto"],
)
def test_what_decides_by_another_measure_is_not_borderline(fields):
    assert judged({"type": "threshold", "threshold": 1}, part("b", 0.7, **fields)).score == 0


@pytest.mark.parametrize("spelling", ["code_judge", "code-judge", "code-grader", "code_grader"])
def test_judges_and_graders_are_the_same(spelling):
    assert Aggregator.model_validate({"type": spelling, "path": "x"}).type == "code_judge"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"type": "average"}, "there is no aggregator 'average'"),
        ({"type": "minimun"}, "did you mean 'minimum'"),
        ({"type": "minimum", "threshold": 0.5}, "'minimum' makes no use of 'threshold'"),
        ({"type": "minimum", "prompt": "x"}, "that is for llm_judge"),
        ({"type": "safety_gate"}, "needs 'required'"),
        ({"type": "threshold"}, "needs 'threshold'"),
        ({"type": "code_judge"}, "needs 'path'"),
        ({"type": "threshold", "threshold": 2}, "less than or equal to 1"),
        ({"type": "threshold", "threshold": True}, "threshold"),
        ({"weights": {"a": -1}}, "greater than or equal to 0"),
        ({"weights": {"a": float("nan")}}, "finite"),
        ({"type": 5}, "type"),
        ({"kind": "minimum"}, "kind"),
    ],
)
def test_what_is_wrong_is_said(settings, message):
    with pytest.raises(ValidationError, match=message):
        Aggregator.model_validate(settings)
