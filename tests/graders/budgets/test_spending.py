import pytest
from pydantic import ValidationError

from agentevals.graders.budgets.spending import (
    Cost,
    InferenceCallCount,
    InvocationDuration,
    TokenUsage,
    ToolCallCount,
)
from agentevals.graders.grader import NO_MODEL_CALL, Services
from agentevals.model.cases import Status
from agentevals.model.completeness import HIDDEN_REQUESTS, Fact, Gap, Presence
from agentevals.model.conversations import ModelCall, ToolCall, Turn
from tests.support import paired

PRICES = {"small": {"input": 1, "output": 4}, "big-*": {"input": 10, "output": 40}}


def grade(*calls, prices=PRICES, **settings):
    case = paired([Turn(model_calls=calls)], None)
    return Cost(name="cost", prices=prices, **settings).grade(case, Services())


def call(model="small", tokens=(1_000, 500), **fields):
    return ModelCall(model=model, input_tokens=tokens[0], output_tokens=tokens[1], **fields)


def test_a_recorded_cost_is_taken():
    assert grade(call(cost=0.25), call(cost=0.5), max=1).details["used"] == 0.75


def test_other_calls_are_priced_by_the_million_tokens():
    assert grade(call(), max=1).details["used"] == pytest.approx(0.003)


def test_a_price_can_be_for_many_models():
    prices = {"big-*": {"input": 10, "output": 40}, "big-1": {"input": 1, "output": 1}}

    assert grade(call("big-2"), prices=prices, max=1).details["used"] == pytest.approx(0.03)
    assert grade(call("big-1"), prices=prices, max=1).details["used"] == pytest.approx(0.0015)


def test_cached_tokens_have_their_own_price():
    prices = {"small": {"input": 1, "output": 4, "cache_read": 0.1, "cache_creation": 2}}
    cached = call(cache_read_tokens=600, cache_creation_tokens=100)

    used = grade(cached, prices=prices, max=1).details["used"]
    assert used == pytest.approx((300 * 1 + 600 * 0.1 + 100 * 2 + 500 * 4) / 1e6)


def test_more_cached_than_input_tokens_were_counted_apart():
    prices = {"small": {"input": 1, "output": 4, "cache_read": 0.1}}
    cached = call(tokens=(50, 0), cache_read_tokens=1_000)

    assert grade(cached, prices=prices, max=1).details["used"] == pytest.approx(150e-6)


def test_cached_tokens_without_a_price_cost_what_others_do():
    assert grade(call(cache_read_tokens=600), max=1).details["used"] == pytest.approx(0.003)


def test_an_exceeded_budget():
    result = grade(call(), max=0.0015)

    assert result.score == pytest.approx(0.5)
    assert result.status is Status.FAILED
    assert result.misses == (
        "the conversation used 0.003 US dollars, at most 0.0015 US dollars allowed",
    )


def test_small_amounts_are_not_shown_as_nothing():
    (miss,) = grade(call(tokens=(2, 0)), max=0.000001).misses

    assert miss == "the conversation used 2e-06 US dollars, at most 1e-06 US dollars allowed"


@pytest.mark.parametrize(
    ("recorded", "reason"),
    [
        (call("other"), "no cost was recorded and 'prices' has no 'other'"),
        (ModelCall(model="small"), "no token count was recorded for 'small'"),
        (call(cost=float("nan")), "not a valid number of US dollars"),
        (call(tokens=(10**400, 1)), "not a valid number of US dollars"),
    ],
)
def test_what_has_no_price_is_not_free(recorded, reason):
    result = grade(call(), recorded, max=1)

    assert result.status is Status.NOT_EVALUATED
    assert result.score is None
    assert reason in result.misses[0]


@pytest.mark.parametrize(
    ("tokens", "which"), [((None, 500), "input"), ((1_000, None), "output")], ids=["in", "out"]
)
def test_a_call_with_half_of_its_counts_may_cost_more_than_the_budget(tokens, which):
    unjudged = grade(call(), call(tokens=tokens), max=1)
    too_much = grade(call(), call(tokens=tokens), max=0.001)

    assert unjudged.status is Status.NOT_EVALUATED
    assert f"the {which} tokens of 'small' were not recorded" in unjudged.misses[0]
    assert too_much.status is Status.FAILED


@pytest.mark.parametrize("evidence", sorted(HIDDEN_REQUESTS))
def test_a_request_that_is_not_counted_may_cost_more_than_the_budget(evidence):
    hidden = Gap(fact=Fact.TOKENS, presence=Presence.UNKNOWN, evidence=evidence)
    other = Gap(fact=Fact.TOKENS, presence=Presence.UNKNOWN, evidence="another")
    cost = Cost(name="cost", max=1)

    assert cost.find_gap(paired([Turn(gaps=(hidden,))], None)) is hidden
    assert cost.find_gap(paired([Turn(gaps=(other,))], None)) is None


def test_a_failed_call_without_tokens_is_free():
    assert grade(call(), ModelCall(model="small", failed=True), max=1).score == 1


def test_a_recording_without_model_calls_says_nothing():
    assert grade(max=1).details == {"reason": NO_MODEL_CALL}


def test_a_price_list_is_checked():
    with pytest.raises(ValidationError, match="outptu"):
        Cost(name="cost", max=1, prices={"small": {"input": 1, "outptu": 2}})


MS = 1_000_000
START = 1_700_000_000_000 * MS


def took(milliseconds):
    return Turn(start_ns=START, end_ns=START + milliseconds * MS)


def grade_duration(*turns, **settings):
    grader = InvocationDuration(name="time", **settings)
    return grader.grade(paired(turns, None), Services())


def test_the_limit_is_for_each_turn():
    result = grade_duration(took(500), took(4_000), max=2)

    assert result.per_turn == (1, 0.5)
    assert result.status is Status.FAILED
    assert result.misses == ("turn 2 used 4 seconds, at most 2 seconds allowed",)


def test_the_limit_can_be_for_the_sum():
    assert grade_duration(took(1_500), took(2_500), max=2, per="conversation").score == 0.5


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
    result = grade_duration(turn, max=1)

    assert result.status is Status.NOT_EVALUATED
    assert result.misses == ("turn 1 cannot be judged: its start and end were not recorded",)


def test_a_turn_may_take_no_measurable_time():
    assert grade_duration(took(0), max=1).status is Status.PASSED


def test_rounding_does_not_exceed_a_limit():
    assert grade_duration(took(100), took(200), max=0.3, per="conversation").status is Status.PASSED


def test_failed_calls_count_too():
    calls = (ToolCall(name="a"), ToolCall(name="a", failed=True), ToolCall(name="b"))
    grader = ToolCallCount(name="calls", max=2)

    assert grader.grade(paired([Turn(tool_calls=calls)], None), Services()).details["used"] == 3


def test_an_agent_that_calls_no_tool_stays_within_its_budget():
    grader = ToolCallCount(name="calls", max=0)

    assert grader.grade(paired([Turn()], None), Services()).score == 1


def grade_counts(*counts, **settings):
    turns = [Turn(model_calls=(ModelCall(),) * count) for count in counts]
    return InferenceCallCount(name="calls", **settings).grade(paired(turns, None), Services())


def test_calls_of_all_turns_count():
    assert grade_counts(2, 1, max=3).status is Status.PASSED
    assert grade_counts(2, 2, max=3).score == 0.75


def test_a_turn_may_do_without_a_model():
    assert grade_counts(2, 0, max=2, per="turn").per_turn == (1, 1)


def test_a_recording_without_any_model_call_says_nothing():
    result = grade_counts(0, 0, max=3)

    assert result.status is Status.NOT_EVALUATED
    assert result.details == {"reason": NO_MODEL_CALL}


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
    assert "not a valid number of tokens" in result.misses[0]
