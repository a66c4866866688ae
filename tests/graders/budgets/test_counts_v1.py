import pytest

from agentevals.graders.budgets.counts_v1 import InferenceCallCount, TokenUsage, ToolCallCount
from agentevals.graders.grader import Services
from agentevals.model.cases import Status
from agentevals.model.conversations import ModelCall, ToolCall, Turn
from tests.support import paired


def test_failed_calls_count_too():
    calls = (ToolCall(name="a"), ToolCall(name="a", failed=True), ToolCall(name="b"))
    grader = ToolCallCount(name="calls", max=2)

    assert grader.grade(paired([Turn(tool_calls=calls)], None), Services()).details["used"] == 3


def test_an_agent_that_calls_no_tool_stays_within_its_budget():
    grader = ToolCallCount(name="calls", max=0)

    assert grader.grade(paired([Turn()], None), Services()).score == 1


def grade(*counts, **settings):
    turns = [Turn(model_calls=(ModelCall(),) * count) for count in counts]
    return InferenceCallCount(name="calls", **settings).grade(paired(turns, None), Services())


def test_calls_of_all_turns_count():
    assert grade(2, 1, max=3).status is Status.PASSED
    assert grade(2, 2, max=3).score == 0.75


def test_a_turn_may_do_without_a_model():
    assert grade(2, 0, max=2, per="turn").per_turn == (1, 1)


def test_a_recording_without_any_model_call_says_nothing():
    result = grade(0, 0, max=3)

    assert result.status is Status.NOT_EVALUATED
    assert result.details == {"reason": "no model call was recorded"}


CALL = ModelCall(model="m", input_tokens=100, output_tokens=20)
UNCOUNTED = ModelCall(model="m")


def grade_tokens(*calls, **settings):
    case = paired([Turn(model_calls=calls)], None)
    return TokenUsage(name="tokens", **settings).grade(case, Services())


@pytest.mark.parametrize(("count", "used"), [("total", 240), ("input", 200), ("output", 40)])
def test_which_tokens_count(count, used):
    assert grade_tokens(CALL, CALL, max=1_000, count=count).details["used"] == used


def test_total_is_the_default():
    assert grade_tokens(CALL, max=60).score == 0.5


def test_without_token_counts_there_is_no_judgement():
    result = grade_tokens(UNCOUNTED, max=1_000)

    assert result.status is Status.NOT_EVALUATED
    assert result.score is None
    reason = "no token count was recorded for a call of 'm'"
    assert result.misses == (f"the conversation cannot be judged: {reason}",)
    assert reason in result.details["reason"]


def test_a_partly_counted_conversation_is_not_taken_for_a_cheap_one():
    assert grade_tokens(CALL, UNCOUNTED, max=1_000).status is Status.NOT_EVALUATED


def test_what_was_counted_may_be_too_much_already():
    result = grade_tokens(CALL, UNCOUNTED, max=60)

    assert (result.status, result.score) == (Status.FAILED, 0.5)


def test_one_turn_without_counts_leaves_the_whole_unjudged():
    turns = [Turn(model_calls=(CALL,)), Turn(model_calls=(UNCOUNTED,))]
    grader = TokenUsage(name="tokens", max=1_000, per="turn")
    result = grader.grade(paired(turns, None), Services())

    assert result.status is Status.NOT_EVALUATED
    assert result.misses[0].startswith("turn 2 cannot be judged")


def test_a_failed_call_needs_no_count():
    assert grade_tokens(CALL, ModelCall(failed=True), max=1_000).status is Status.PASSED


@pytest.mark.parametrize("nonsense", [-1, 10**400])
def test_impossible_counts_are_no_judgement(nonsense):
    result = grade_tokens(ModelCall(input_tokens=nonsense, output_tokens=0), max=1_000)

    assert result.status is Status.NOT_EVALUATED
    assert "no possible number of tokens" in result.misses[0]
