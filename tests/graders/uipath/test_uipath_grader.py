import pytest

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_output_checks import ExactMatch
from agentevals.model.cases import Status
from agentevals.model.results import Result
from tests.graders.uipath.cases import of
from tests.support import case, paired, turn


@pytest.mark.parametrize("key", ["targetOutputKey", "target_output_key"])
def test_settings_are_written_in_either_case(key):
    grader = ExactMatch(name="e", expected_output={"r": "a"}, **{key: "r"})

    assert grader.grade(of({"r": "A", "more": 1}), Services()).score == 1


def test_without_an_expected_output_it_is_the_answer_of_the_eval_set():
    recorded, expected = turn('{"r": 1}'), turn('{"r": 1.0}')

    assert ExactMatch(name="e").grade(paired([recorded], [expected]), Services()).score == 1
    assert ExactMatch(name="e").grade(case("x"), Services()).status is Status.NOT_EVALUATED


def test_all_cases_together_are_the_mean_of_those_that_were_judged():
    scores = [Result(name="e", type="t", status=Status.PASSED, score=s) for s in (1.0, 0.5, None)]

    overall = ExactMatch(name="e").overall(scores, Services())
    assert overall == {"reduce_scores": 0.75, "metric": "mean", "scored": 2, "total": 3}
