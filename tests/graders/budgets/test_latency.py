import pytest

from agentevals.graders.budgets.latency import Latency
from agentevals.graders.grader import Services, result_of
from agentevals.model.cases import Case, Status
from tests.support import case, conversation, turn


def lasting(ms):
    return Case(conversation=conversation(turn(start_ns=1, end_ns=1 + int(ms * 10**6))))


def grader(threshold):
    return Latency.model_validate({"name": "l", "threshold": threshold})


@pytest.mark.parametrize(
    ("ms", "status", "sentence"),
    [
        (1000, Status.PASSED, "Duration 1000ms <= 1000ms threshold"),
        (1000.5, Status.FAILED, "Duration 1000.5ms > 1000ms threshold"),
    ],
)
def test_the_threshold_is_milliseconds(ms, status, sentence):
    result = result_of(grader(1000), lasting(ms), Services())

    assert result.status is status
    assert (*result.hits, *result.misses) == (sentence,)
    assert result.threshold == 0.8


def test_a_time_that_was_not_recorded_did_not_keep_the_limit():
    grade = grader(1000).grade(case(), Services())

    assert grade.score == 0
    assert grade.misses == ("No duration data available in trace",)


@pytest.mark.parametrize("threshold", [-1, float("nan"), float("inf"), "1s", True, None])
def test_a_limit_is_a_number(threshold):
    with pytest.raises(ValueError, match="threshold"):
        grader(threshold)


def test_the_limit_has_a_name_of_its_own_too():
    assert Latency.model_validate({"name": "l", "max_ms": 5}).max_ms == 5


def test_without_a_limit_there_is_nothing_to_judge():
    with pytest.raises(ValueError, match="threshold"):
        Latency.model_validate({"name": "l"})
