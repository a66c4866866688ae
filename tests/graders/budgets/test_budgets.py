import pytest
from pydantic import ValidationError

from agentevals.graders import budgets
from agentevals.graders.budgets import Tokens
from agentevals.graders.budgets.spending import ToolCallCount
from agentevals.graders.grader import Services
from agentevals.model.cases import Case, Status
from agentevals.model.conversations import ModelCall, ToolCall, Turn
from tests.support import case, conversation, paired, turn

DAY_NS = 24 * 3600 * 10**9


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


def used(*turns):
    return budgets.measure_usage(Case(conversation=conversation(*turns)))


def test_turns_are_added_up():
    both = used(
        turn(
            tool_calls=(ToolCall(name="Read"), ToolCall(name="Edit")),
            model_calls=(ModelCall(input_tokens=1, output_tokens=2, cost=0.5),),
            start_ns=10**6,
            end_ns=3 * 10**6,
        ),
        turn(
            model_calls=(ModelCall(input_tokens=10, cache_read_tokens=4, cost=0.25),),
            start_ns=10**9,
            end_ns=10**9 + 5 * 10**6,
        ),
    )

    assert both.tool_calls == 2
    assert both.model_calls == 2
    assert both.tokens == Tokens(input=11, output=2, cached=4)
    assert both.tokens.fresh == 13
    assert both.tokens.total == 17
    assert both.cost_usd == 0.75
    assert both.duration_ms == 7
    assert both.exploration_ratio == 0.5


def test_what_was_not_recorded_is_not_nothing():
    nothing = used(turn())

    assert nothing.tool_calls == 0
    assert nothing.model_calls is None
    assert nothing.tokens is None
    assert nothing.cost_usd is None
    assert nothing.duration_ms is None
    assert nothing.exploration_ratio is None


def test_messages_count_where_calls_of_models_were_not_recorded():
    messages = ({"role": "assistant"}, {"role": "tool"}, {"role": "assistant"})

    assert used(turn(messages=messages)).model_calls == 2


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 0), (2, 1), (0, 56 * 365 * DAY_NS)],
    ids=["none", "backwards", "no start"],
)
def test_a_time_that_cannot_be_is_no_time(start, end):
    assert used(turn(start_ns=start, end_ns=end)).duration_ms is None


def test_a_cost_of_nothing_is_a_cost():
    assert used(turn(model_calls=(ModelCall(cost=0.0),))).cost_usd == 0


@pytest.mark.parametrize("cost", [float("nan"), float("inf"), -1.0])
def test_a_cost_that_cannot_be_is_no_cost(cost):
    assert used(turn(model_calls=(ModelCall(cost=cost),))).cost_usd is None


@pytest.mark.parametrize(
    ("names", "ratio"),
    [
        (["Read", "Grep", "Edit", "search"], 0.75),
        (["read", "Read"], 1),
        (["READ"], 0),
    ],
)
def test_exploring_is_what_only_looks(names, ratio):
    calls = tuple(ToolCall(name=name) for name in names)

    assert used(turn(tool_calls=calls)).exploration_ratio == ratio


def test_without_a_turn_nothing_is_known():
    assert used().duration_ms is None
    assert budgets.measure_usage(case()).turns
