import pytest

from agentevals.graders.budgets import usage
from agentevals.graders.budgets.usage import Tokens
from agentevals.model.cases import Case
from agentevals.model.conversations import ModelCall, ToolCall
from tests.support import case, conversation, turn

DAY_NS = 24 * 3600 * 10**9


def used(*turns):
    return usage.measure_usage(Case(conversation=conversation(*turns)))


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
    assert usage.measure_usage(case()).turns
