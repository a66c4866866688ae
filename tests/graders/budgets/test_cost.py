import pytest

from agentevals.graders.budgets.cost import CostOfRun
from agentevals.graders.grader import Services
from agentevals.model.cases import Case
from agentevals.model.conversations import ModelCall
from tests.support import case, conversation, turn


@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        (0.05, "Cost $0.0500 <= $0.0500 budget"),
        (0.06, "Cost $0.0600 > $0.0500 budget"),
    ],
)
def test_what_was_recorded_is_held_against_the_budget(cost, sentence):
    spent = Case(conversation=conversation(turn(model_calls=(ModelCall(cost=cost),))))

    grade = CostOfRun(name="c", budget=0.05).grade(spent, Services())

    assert (*grade.hits, *grade.misses) == (sentence,)


def test_a_cost_that_was_not_recorded_did_not_keep_the_budget():
    grade = CostOfRun(name="c", budget=0.05).grade(case(), Services())

    assert grade.score == 0
    assert grade.misses == ("No cost data available in trace",)
    assert grade.reasoning == "Execution cost not reported by provider"
