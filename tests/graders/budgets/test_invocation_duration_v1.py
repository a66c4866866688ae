import pytest
from pydantic import ValidationError

from agentevals.graders.budgets.invocation_duration_v1 import InvocationDuration
from agentevals.graders.grader import Services
from agentevals.model.cases import Status
from agentevals.model.conversations import Turn
from tests.support import paired

MS = 1_000_000
START = 1_700_000_000_000 * MS


def took(milliseconds):
    return Turn(start_ns=START, end_ns=START + milliseconds * MS)


def grade(*turns, **settings):
    grader = InvocationDuration(name="time", **settings)
    return grader.grade(paired(turns, None), Services())


def test_the_limit_is_for_each_turn():
    result = grade(took(500), took(4_000), max=2)

    assert result.per_turn == (1, 0.5)
    assert result.status is Status.FAILED
    assert result.misses == ("turn 2 used 4 seconds, at most 2 seconds allowed",)


def test_the_limit_can_be_for_the_sum():
    assert grade(took(1_500), took(2_500), max=2, per="conversation").score == 0.5


@pytest.mark.parametrize(
    ("written", "seconds"),
    [(2, 2), (0.5, 0.5), ("800ms", 0.8), ("2.5s", 2.5), ("2 s", 2), ("1m", 60), ("1.5h", 5400)],
)
def test_how_limits_are_written(written, seconds):
    assert InvocationDuration(name="time", max=written).max == pytest.approx(seconds)


@pytest.mark.parametrize("wrong", ["fast", "2", "-1s", "1 day", "2.5.1s", "s", "1e3s", -1, True])
def test_other_limits_are_refused(wrong):
    with pytest.raises(ValidationError):
        InvocationDuration(name="time", max=wrong)


def test_the_message_about_a_wrong_limit_says_how_to_write_it():
    with pytest.raises(ValidationError, match="'2 days' is not a duration; write seconds, or"):
        InvocationDuration(name="time", max="2 days")


@pytest.mark.parametrize("turn", [Turn(), Turn(start_ns=START), Turn(start_ns=2, end_ns=1)])
def test_without_times_there_is_no_judgement(turn):
    result = grade(turn, max=1)

    assert result.status is Status.NOT_EVALUATED
    assert result.misses == ("turn 1 cannot be judged: its start and end were not recorded",)


def test_a_turn_may_take_no_measurable_time():
    assert grade(took(0), max=1).status is Status.PASSED


def test_rounding_does_not_exceed_a_limit():
    assert grade(took(100), took(200), max=0.3, per="conversation").status is Status.PASSED
