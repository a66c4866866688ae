"""The cost of model calls: as it was recorded, else by a list of prices."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from pydantic import BaseModel, ConfigDict, Field

from agentevals.graders.budgets import Limit, Used
from agentevals.model.conversations import ModelCall

_MILLION = 1_000_000


class Price(BaseModel):
    """The price of a million tokens of one model, in US dollars."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Limit = Field(description="Tokens read")
    output: Limit = Field(description="Tokens written")
    cache_read: Limit | None = Field(
        default=None, description="Tokens read from the cache; as `input` by default"
    )
    cache_creation: Limit | None = Field(
        default=None, description="Tokens written to the cache; as `input` by default"
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


def read_cost(call: ModelCall, prices: Mapping[str, Price]) -> Used:
    """Return the cost of a call, and what of it nobody knows."""
    if call.cost is not None:
        return Used(amount=call.cost)
    unrecorded = "" if call.failed else _explain_uncounted(call)
    if call.input_tokens is None and call.output_tokens is None:
        return Used(unrecorded=unrecorded)
    price = _find_price(call.model, prices)
    if price is None:
        return Used(unrecorded=f"no cost was recorded and 'prices' has no {call.model!r}")
    return Used(amount=price.compute_cost(call), unrecorded=unrecorded)


def _find_price(model: str, prices: Mapping[str, Price]) -> Price | None:
    if model in prices:
        return prices[model]
    return next((price for name, price in prices.items() if fnmatchcase(model, name)), None)


def _explain_uncounted(call: ModelCall) -> str:
    """Return which tokens of a request were not counted, for a sentence; empty if all were."""
    counts = {"input": call.input_tokens, "output": call.output_tokens}
    missing = [name for name, count in counts.items() if count is None]
    if len(missing) == len(counts):
        return f"no token count was recorded for {call.model!r}"
    return f"the {missing[0]} tokens of {call.model!r} were not recorded" if missing else ""
