"""The cost of the model calls that a run finds in its recordings, added up by model."""

# ruff: noqa: SLF001 -- parts of a run are joined, each of the same class
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import add
from typing import NamedTuple

from agentevals.configs.plan import Plan
from agentevals.graders.budgets.spending import Cost, Price, read_cost
from agentevals.model.conversations import ModelCall, ModelCost, RecordingCost, Turn

_MOST = 1e15  # more than this is a broken recording


class Spent(NamedTuple):
    """The cost of one model call, as far as it is known."""

    model: str
    is_unpriced: bool
    cost: float | None


class CostTally:
    """Adds up costs: as they were recorded, else by the price lists of a plan."""

    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = prices
        self._calls, self._unpriced = Counter[str](), Counter[str]()
        self._costs: dict[str, array[float]] = {}  # of each call, added up in one order

    def read(self, turns: Iterable[Turn]) -> tuple[Spent, ...]:
        """Return what each model call of a conversation has cost.

        A recorded cost may be that of all of them.
        """
        calls = [call for turn in turns for call in turn.model_calls]
        is_recorded = any(call.cost is not None for call in calls)
        prices = {} if is_recorded else self._prices
        return tuple([_read_spent(call, prices) for call in calls])

    def add(self, spent: Iterable[Spent]) -> None:
        """Add the model calls of a conversation."""
        for call in spent:
            self._calls[call.model] += 1
            self._unpriced[call.model] += call.is_unpriced
            if call.cost is not None:
                self._costs.setdefault(call.model, array("d")).append(call.cost)

    def join(self, later: "CostTally") -> None:
        """Add the conversations that follow, which another process has added up."""
        self._calls.update(later._calls)
        self._unpriced.update(later._unpriced)
        for model, costs in later._costs.items():
            self._costs.setdefault(model, array("d")).extend(costs)

    def result(self, *, is_asked: bool = False) -> RecordingCost | None:
        """Return the costs; None where no call has one, and nobody has asked by a price."""
        if not self._calls or not (self._costs or self._prices or is_asked):
            return None
        known = {model: reduce(add, costs, 0.0) for model, costs in self._costs.items()}
        models = tuple(
            ModelCost(
                model=model,
                calls=calls,
                unpriced=self._unpriced[model],
                cost=known.get(model),
            )
            for model, calls in sorted(self._calls.items())
        )
        return RecordingCost(
            cost=sum(known.values()) if known else None,
            calls=self._calls.total(),
            unpriced=self._unpriced.total(),
            models=models,
        )


def _read_spent(call: ModelCall, prices: Mapping[str, Price]) -> Spent:
    used = read_cost(call, prices)
    known = 0 <= used.amount <= _MOST
    amount = used.amount if known and (used.amount or not used.unrecorded) else None
    return Spent(call.model, bool(used.unrecorded) or not known, amount)


def list_prices(plan: Plan) -> dict[str, Price]:
    """Return the prices of the config, then those that only an evaluator has."""
    lists = [grader.prices for grader in plan.all_graders if isinstance(grader, Cost)]
    return {name: price for prices in (*lists, plan.prices) for name, price in prices.items()}
