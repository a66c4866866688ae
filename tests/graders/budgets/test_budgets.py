import pytest
from pydantic import ValidationError

from agentevals.graders.budgets.spending import ToolCallCount
from agentevals.graders.grader import Services
from agentevals.model.cases import Status
from agentevals.model.conversations import ToolCall, Turn
from tests.support import paired


def grade(*counts, **settings):
    turns = [Turn(tool_calls=(ToolCall(name="a"),) * count) for count in counts]
    return ToolCallCount(name="budget", **settings).grade(paired(turns, None), Services())


@pytest.mark.parametrize(
    ("used", "limits", "score", "status"),
    [
        (3, {"max": 3}, 1, Status.PASSED),
        (4, {"max": 3}, 0.75, Status.FAILED),
        (0, {"max": 0}, 1, Status.PASSED),
        (2, {"max": 0}, 0, Status.FAILED),
        (1, {"min": 2}, 0.5, Status.FAILED),
        (2, {"min": 2}, 1, Status.PASSED),
        (0, {"min": 0}, 1, Status.PASSED),
        (3, {"min": 2, "max": 4}, 1, Status.PASSED),
    ],
)
def test_score_and_status(used, limits, score, status):
    result = grade(used, **limits)

    assert (result.score, result.status) == (score, status)


def test_a_threshold_does_not_turn_an_exceeded_budget_into_a_pass():
    assert grade(4, max=3, threshold=0.1).status is Status.FAILED


def test_a_budget_is_for_the_whole_conversation():
    result = grade(2, 2, max=3)

    assert result.score == 0.75
    assert result.per_turn == ()
    assert result.misses == ("the conversation used 4 tool calls, at most 3 tool calls allowed",)
    assert result.details == {"used": 4, "max": 3, "unit": "tool call", "per": "conversation"}


def test_a_budget_can_be_for_each_turn():
    result = grade(2, 4, 1, max=2, per="turn")

    assert result.score == pytest.approx(2.5 / 3)
    assert result.status is Status.FAILED
    assert result.per_turn == (1, 0.5, 1)
    assert result.misses == ("turn 2 used 4 tool calls, at most 2 tool calls allowed",)
    assert result.details["used"] == [2, 4, 1]


def test_too_little_is_said_too():
    assert grade(1, min=2).misses == (
        "the conversation used 1 tool call, at least 2 tool calls wanted",
    )


def test_a_conversation_without_turns_is_not_judged():
    assert grade(max=1).status is Status.NOT_EVALUATED


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "'max' is missing"),
        ({"min": 3, "max": 2}, r"'min' \(3\) is larger than 'max' \(2\)"),
        ({"max": -1}, "greater than or equal to 0"),
        ({"max": float("nan")}, "finite"),
        ({"max": float("inf")}, "finite"),
        ({"max": True}, "valid number"),
        ({"max": "3"}, "valid number"),
        ({"max": 1, "per": "day"}, "conversation"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(limits, message):
    with pytest.raises(ValidationError, match=message):
        ToolCallCount(name="budget", **limits)
