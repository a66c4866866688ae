import pytest

from agentevals.graders.budgets.execution_metrics import ExecutionMetrics
from agentevals.graders.grader import Services
from agentevals.model.cases import Case, Status
from agentevals.model.conversations import ModelCall, ToolCall
from tests.support import case, conversation, turn

CALL = ModelCall(input_tokens=100, output_tokens=50, cache_read_tokens=7, cost=0.02)
USED = Case(
    conversation=conversation(
        turn(
            model_calls=(CALL,),
            tool_calls=(ToolCall(name="Read"), ToolCall(name="Edit")),
            start_ns=1,
            end_ns=1 + 3 * 10**9,
        )
    )
)


def grade(judged=USED, **settings):
    return ExecutionMetrics.model_validate({"name": "m", **settings}).grade(judged, Services())


def test_the_score_is_the_share_of_the_limits_that_are_kept():
    judged = grade(
        max_tool_calls=10,
        max_llm_calls=5,
        max_tokens=10,
        max_cost_usd=0.1,
        max_duration_ms=5000,
    )

    assert judged.score == 0.8
    assert judged.hits == (
        "Tool calls 2 <= 10 max",
        "LLM calls 1 <= 5 max",
        "Cost $0.0200 <= $0.1000 max",
        "Duration 3000ms <= 5000ms max",
    )
    assert judged.misses == ("Total tokens 150 > 10 max",)
    assert judged.reasoning == (
        "execution-metrics tool_calls=2, llm_calls=1, tokens=150, cost=$0.0200, duration=3000ms"
    )


def test_tokens_have_limits_of_their_own_in_both_directions():
    judged = grade(max_input_tokens=100, max_output_tokens=49)

    assert judged.score == 0.5
    assert judged.hits == ("Input tokens 100 <= 100 max",)
    assert judged.misses == ("Output tokens 50 > 49 max",)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"target_exploration_ratio": 0.5},
            "Exploration ratio 0.50 within tolerance of target 0.5",
        ),
        (
            {"target_exploration_ratio": 0.75, "exploration_tolerance": 0.25},
            "Exploration ratio 0.50 within tolerance of target 0.75",
        ),
        (
            {"target_exploration_ratio": 0.9, "exploration_tolerance": 0.1},
            "Exploration ratio 0.50 outside tolerance of target 0.9 (diff: 0.40, tolerance: 0.1)",
        ),
    ],
)
def test_the_share_of_calls_that_only_look_is_near_its_target(settings, sentence):
    judged = grade(**settings)

    assert (*judged.hits, *judged.misses) == (sentence,)


def test_a_limit_of_what_was_not_recorded_leaves_nothing_to_judge():
    judged = grade(
        case(), max_tool_calls=1, max_llm_calls=1, max_tokens=1, max_cost_usd=1, max_duration_ms=1
    )

    assert judged.status is Status.NOT_EVALUATED
    assert judged.misses == (
        "not recorded: LLM calls, Total tokens, Cost, Duration; record it, or remove the limit",
    )


def test_without_tool_calls_there_is_no_share_of_those_that_look():
    judged = grade(case(), target_exploration_ratio=1)

    assert judged.score == 0
    assert judged.misses == ("Exploration ratio not available (no tool calls)",)


def test_calls_are_not_counted_where_there_is_no_turn():
    assert grade(Case(conversation=conversation()), max_tool_calls=1).misses == (
        "No trace summary available",
    )


def test_what_needs_no_turn_is_looked_for_all_the_same():
    assert grade(Case(conversation=conversation()), max_tokens=1).misses == (
        "not recorded: Total tokens; record it, or remove the limit",
    )


def test_settings_may_be_in_camel_case():
    assert grade(maxToolCalls=2, maxCostUsd=1).score == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "there is no limit"),
        ({"exploration_tolerance": 0.1}, "there is no limit"),
        ({"max_tokens": -1}, "greater than or equal to 0"),
        ({"max_tokens": float("inf")}, "finite"),
        ({"max_tokens": "5"}, "valid number"),
        ({"max_token": 5}, "max_token"),
    ],
)
def test_limits_are_numbers_that_can_be_kept(settings, message):
    with pytest.raises(ValueError, match=message):
        grade(**settings)
