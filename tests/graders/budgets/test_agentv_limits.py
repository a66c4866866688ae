import pytest

from agentevals.graders.budgets.agentv_limits import CostOfRun, Latency, TokensUsed
from agentevals.graders.grader import NO_COST, NO_DURATION, NO_TOKENS, Services
from agentevals.graders.grading import grade_case
from agentevals.model.cases import Case, Status
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


def test_a_cost_that_was_not_recorded_is_not_evaluated():
    grade = CostOfRun(name="c", budget=0.05).grade(case(), Services())

    assert (grade.status, grade.misses) == (Status.NOT_EVALUATED, (NO_COST,))


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
    result = grade_case(grader(1000), lasting(ms), Services())

    assert result.status is status
    assert (*result.hits, *result.misses) == (sentence,)
    assert result.threshold == 0.8


def test_a_time_that_was_not_recorded_is_not_evaluated():
    grade = grader(1000).grade(case(), Services())

    assert (grade.status, grade.misses) == (Status.NOT_EVALUATED, (NO_DURATION,))


@pytest.mark.parametrize("threshold", [-1, float("nan"), float("inf"), "1s", True, None])
def test_a_limit_is_a_number(threshold):
    with pytest.raises(ValueError, match="threshold"):
        grader(threshold)


def test_the_limit_has_a_name_of_its_own_too():
    assert Latency.model_validate({"name": "l", "max_ms": 5}).max_ms == 5


def test_without_a_limit_there_is_nothing_to_judge():
    with pytest.raises(ValueError, match="threshold"):
        Latency.model_validate({"name": "l"})


CALL = ModelCall(input_tokens=100, output_tokens=50, cache_read_tokens=10)
USED = Case(conversation=conversation(turn(model_calls=(CALL,))))


def test_every_limit_is_held_against_what_was_used():
    grader = TokensUsed(name="t", max_total=159, max_input=100, max_output=49)

    grade = grader.grade(USED, Services())

    assert grade.score == 0
    assert grade.hits == ("Input tokens 100 <= 100",)
    assert grade.misses == ("Output tokens 50 > 49", "Total tokens 160 > 159")
    assert grade.reasoning == "token-usage input=100, output=50, cached=10, total=160"


def test_limits_that_are_all_kept_pass():
    assert (
        TokensUsed.model_validate({"name": "t", "maxTotal": 160}).grade(USED, Services()).score == 1
    )


def test_tokens_that_were_not_counted_are_not_evaluated():
    grade = TokensUsed(name="t", max_total=1).grade(case(), Services())

    assert (grade.status, grade.misses) == (
        Status.NOT_EVALUATED,
        (NO_TOKENS,),
    )


def test_without_a_limit_there_are_no_tokens_to_judge():
    with pytest.raises(ValueError, match="write 'max_total', 'max_input' or 'max_output'"):
        TokensUsed(name="t")
