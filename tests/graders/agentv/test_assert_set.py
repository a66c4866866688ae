import pytest

from agentevals.graders.agentv.assert_set import AssertSet
from agentevals.graders.grader import Services, grade_case
from agentevals.graders.text.checks import Contains
from agentevals.model.cases import Status
from tests.support import case

HIT = Contains(name="hit", value="done", weight=3)
MISS = Contains(name="miss", value="never")


@pytest.mark.parametrize(
    ("settings", "score", "status"),
    [
        ({"evaluators": [HIT, MISS]}, 0.75, Status.FAILED),
        ({"evaluators": [HIT]}, 1, Status.PASSED),
        ({"evaluators": [HIT, MISS], "threshold": 0.7}, 0.75, Status.PASSED),
        ({"evaluators": [HIT, MISS.model_copy(update={"weight": 0})]}, 1, Status.PASSED),
    ],
)
def test_all_have_to_pass_unless_a_threshold_decides(settings, score, status):
    result = grade_case(AssertSet(name="s", **settings), case("done"), Services())

    assert result.score == score
    assert result.status is status


def test_a_threshold_that_is_given_makes_it_another_evaluator():
    assert AssertSet(name="s", evaluators=[HIT], threshold=0.8).content
    assert not AssertSet(name="s", evaluators=[HIT]).content
