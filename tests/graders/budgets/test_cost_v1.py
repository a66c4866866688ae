import pytest
from pydantic import ValidationError

from agentevals.graders.budgets.cost_v1 import Cost
from agentevals.graders.grader import Services
from agentevals.model.cases import Status
from agentevals.model.conversations import ModelCall, Turn
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
        (call(cost=float("nan")), "no possible number of US dollars"),
        (call(tokens=(10**400, 1)), "no possible number of US dollars"),
    ],
)
def test_what_has_no_price_is_not_free(recorded, reason):
    result = grade(call(), recorded, max=1)

    assert result.status is Status.NOT_EVALUATED
    assert result.score is None
    assert reason in result.misses[0]


def test_a_failed_call_without_tokens_is_free():
    assert grade(call(), ModelCall(model="small", failed=True), max=1).score == 1


def test_a_recording_without_model_calls_says_nothing():
    assert grade(max=1).details == {"reason": "no model call was recorded"}


def test_a_price_list_is_checked():
    with pytest.raises(ValidationError, match="outptu"):
        Cost(name="cost", max=1, prices={"small": {"input": 1, "outptu": 2}})
