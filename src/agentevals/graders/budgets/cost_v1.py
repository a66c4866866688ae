"""`cost_v1`: a budget for the money that an agent's language models cost."""

from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field

from agentevals.graders.budgets.limits import Budget, Limit, Used
from agentevals.model.conversations import ModelCall, Turn

_MILLION = 1_000_000


class Price(BaseModel):
    """The price of a million tokens of one model, in US dollars."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Limit = Field(description="Tokens read")
    output: Limit = Field(description="Tokens written")
    cache_read: Limit | None = Field(
        default=None, description="Tokens read from the cache; as `input` when left out"
    )
    cache_creation: Limit | None = Field(
        default=None, description="Tokens written to the cache; as `input` when left out"
    )

    def compute_cost(self, call: ModelCall) -> float:
        """The price of one call. Input tokens include the cached ones, unless those are more."""
        read, created = call.cache_read_tokens, call.cache_creation_tokens
        fresh = call.input_tokens or 0
        if read + created <= fresh:
            fresh -= read + created
        cost = fresh * self.input + (call.output_tokens or 0) * self.output
        cost += read * (self.input if self.cache_read is None else self.cache_read)
        cost += created * (self.input if self.cache_creation is None else self.cache_creation)
        return cost / _MILLION


class Cost(Budget):
    """The cost of the model calls: as recorded, else by the price list."""

    type = "cost_v1"
    unit = "US dollar"
    of_models = True

    prices: dict[str, Price] = Field(
        default_factory=dict,
        description="US dollars per million tokens by model, for calls without a recorded cost; "
        "`*` in a name stands for any characters, an exact name comes first",
    )

    def measure(self, turn: Turn) -> Used:
        return sum(map(self._read_cost, turn.model_calls), start=Used())

    def _read_cost(self, call: ModelCall) -> Used:
        if call.cost is not None:
            return Used(amount=call.cost)
        counted = call.input_tokens is not None or call.output_tokens is not None
        if not counted:
            nothing = "" if call.failed else f"no token count was recorded for {call.model!r}"
            return Used(unrecorded=nothing)
        price = self._find_price(call.model)
        if price is None:
            return Used(unrecorded=f"no cost was recorded and 'prices' has no {call.model!r}")
        return Used(amount=price.compute_cost(call))

    def _find_price(self, model: str) -> Price | None:
        if model in self.prices:
            return self.prices[model]
        found = (price for name, price in self.prices.items() if fnmatchcase(model, name))
        return next(found, None)
