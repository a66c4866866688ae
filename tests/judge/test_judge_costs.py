"""The budget of a judge, shared by threads: what is reserved may turn out cheaper."""

from threading import Thread

import pytest

from agentevals.judge.judge_costs import Cost, Meter
from agentevals.judge.judge_settings import JudgeBudget
from agentevals.model.errors import EvaluatorError


def test_a_call_waits_for_what_another_has_reserved_and_may_not_use():
    meter = Meter(JudgeBudget(max_tokens=10), None)
    failed = []

    def ask():
        try:
            with meter.call(Cost(1, 2, 2)) as cost:
                cost.calls, cost.input_tokens = 1, 4
        except EvaluatorError as error:
            failed.append(error)

    other = Thread(target=ask)
    with meter.call(Cost(1, 4, 4)) as cost:
        other.start()
        other.join(0.1)  # it waits as long as this call may need all of its tokens
        assert meter.to_dict()["calls"] == 0
        cost.calls, cost.input_tokens = 1, 2
    other.join()

    assert not failed
    assert (meter.to_dict()["calls"], meter.to_dict()["input_tokens"]) == (2, 6)


def test_a_call_that_could_exceed_the_budget_is_refused():
    meter = Meter(JudgeBudget(max_tokens=10), None)

    with pytest.raises(EvaluatorError, match="could exceed 'max_tokens' \\(10\\) after 0 calls"):
        meter.call(Cost(1, 6, 5)).__enter__()
