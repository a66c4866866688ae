"""The cost of recordings: what is known is added up, what is not is told."""

import json

import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.graders.budgets.spending import Price
from agentevals.model.conversations import ModelCall, ModelCost, RecordingCost, Turn
from agentevals.run.run_costs import CostTally, list_prices
from tests.support import agentevals

PRICES = {"gpt-*": Price(input=1, output=2)}
CALL = {"input_tokens": 1_000_000, "output_tokens": 1_000_000}


def spent(*calls, prices=PRICES):
    tally = CostTally(prices)
    turns = [Turn(user="Hi", model_calls=calls[:1]), Turn(user="Hi", model_calls=calls[1:])]
    tally.add(tally.read(turns))
    return tally.result()


def test_calls_of_a_model_are_added_up():
    found = spent(ModelCall(model="gpt-5", **CALL), ModelCall(model="gpt-5", **CALL))

    assert found == RecordingCost(
        cost=6.0, calls=2, models=(ModelCost(model="gpt-5", calls=2, cost=6.0),)
    )


def test_a_recorded_cost_comes_before_the_price():
    assert spent(ModelCall(model="gpt-5", cost=0.5, **CALL)).cost == 0.5
    assert spent(ModelCall(model="other", cost=0.5), prices={}).cost == 0.5


def test_a_recorded_cost_may_be_that_of_a_whole_conversation_so_no_other_call_is_priced():
    found = spent(ModelCall(model="gpt-5", **CALL), ModelCall(model="gpt-5", cost=0.5))

    assert (found.cost, found.calls, found.unpriced) == (0.5, 2, 1)


def test_a_model_without_a_price_is_told_and_is_not_nought():
    found = spent(ModelCall(model="gpt-5", **CALL), ModelCall(model="other", **CALL))

    assert (found.cost, found.calls, found.unpriced) == (3.0, 2, 1)
    assert found.models[1] == ModelCost(model="other", calls=1, unpriced=1, cost=None)


@pytest.mark.parametrize(
    "call",
    [
        ModelCall(model="gpt-5"),
        ModelCall(model="other", **CALL),
        ModelCall(model="gpt-5", cost=-1.0),
        ModelCall(model="gpt-5", cost=float("inf")),
        ModelCall(model="gpt-5", cost=float("nan")),
    ],
    ids=["no counts", "no price", "less than nothing", "endless", "no number"],
)
def test_a_cost_that_nobody_knows_is_none(call):
    found = spent(call)

    assert (found.cost, found.unpriced) == (None, 1)


def test_tokens_that_were_counted_in_part_are_priced_and_told():
    found = spent(ModelCall(model="gpt-5", input_tokens=1_000_000))

    assert (found.cost, found.unpriced) == (1.0, 1)


def test_a_call_that_failed_costs_nothing():
    found = spent(ModelCall(model="gpt-5", failed=True))

    assert (found.cost, found.unpriced) == (0.0, 0)


def test_without_any_cost_or_price_nothing_is_said():
    assert spent(ModelCall(model="gpt-5", **CALL), prices={}) is None
    assert spent() is None


CONFIG = {
    "prices": {"gpt-5": {"input": 1, "output": 2}},
    "evaluators": [
        {
            "name": "cost_v1",
            "type": "builtin",
            "max": 1,
            "prices": {"gpt-5": {"input": 9, "output": 9}, "o9": {"input": 3, "output": 3}},
        }
    ],
}


def test_prices_are_those_of_the_config_and_then_of_an_evaluator(tmp_path):
    (tmp_path / "eval_config.yaml").write_text(json.dumps(CONFIG))
    prices = list_prices(compile_plan(tmp_path / "eval_config.yaml"))

    assert {name: price.input for name, price in prices.items()} == {"gpt-5": 1, "o9": 3}


def span(number, model):
    usage = {"input_tokens": 1000, "output_tokens": 500}
    said = {"gen_ai.operation.name": "chat", "gen_ai.request.model": model}
    said["gen_ai.input.messages"] = json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]
    )
    attributes = [{"key": key, "value": {"stringValue": text}} for key, text in said.items()]
    attributes += [
        {"key": f"gen_ai.usage.{key}", "value": {"intValue": f"{count}"}}
        for key, count in usage.items()
    ]
    ids = {"traceId": "a" * 32, "spanId": f"{number:016x}", "parentSpanId": "f" * 16}
    return {**ids, "name": "chat", "startTimeUnixNano": f"{number}", "attributes": attributes}


def test_a_run_shows_them_in_its_table_and_in_json(tmp_path):
    spans = [span(1, "gpt-5"), span(2, "other")]
    recorded = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    (tmp_path / "trace.json").write_text(json.dumps(recorded))
    (tmp_path / "eval_config.yaml").write_text(json.dumps(CONFIG))
    table, document = (
        agentevals("run", "trace.json", "-c", "eval_config.yaml", "-o", shape, cwd=tmp_path).stdout
        for shape in ("table", "json")
    )

    assert "cost       at least $0.0020 for 2 model calls: unknown for 1 of other" in table
    assert json.loads(document)["recording_cost"] == {
        "cost": 0.002,
        "calls": 2,
        "unpriced": 1,
        "models": [
            {"model": "gpt-5", "calls": 1, "unpriced": 0, "cost": 0.002},
            {"model": "other", "calls": 1, "unpriced": 1, "cost": None},
        ],
    }
