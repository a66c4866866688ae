"""Budgets for the money, the time, the calls and the tokens of an agent, turn by turn."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from agentevals.graders.budgets import Budget, Limit, Used
from agentevals.model.completeness import Fact
from agentevals.model.conversations import ModelCall, Turn

_MILLION = 1_000_000

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_WRITTEN = r"^\d+(\.\d+)?\s*(ms|s|m|h)$"
_NANOSECONDS = 1e9


class Price(BaseModel):
    """The price of a million tokens of one model, in US dollars."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

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
    if not prices or model in prices:
        return prices.get(model)
    return next((price for name, price in prices.items() if fnmatchcase(model, name)), None)


def _explain_uncounted(call: ModelCall) -> str:
    """Return which tokens of a request were not counted, for a sentence; empty if all were."""
    if call.input_tokens is not None and call.output_tokens is not None:
        return ""
    if not call.has_counts:
        return f"no token count was recorded for {call.model!r}"
    missing = "input" if call.input_tokens is None else "output"
    return f"the {missing} tokens of {call.model!r} were not recorded"


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
        return sum((read_cost(call, self.prices) for call in turn.model_calls), start=Used())


def _read_seconds(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not re.match(_WRITTEN, value):
        msg = f"{value!r} is not a duration; write seconds, or a number with ms, s, m or h"
        raise ValueError(msg)
    number = value.rstrip("msh ")
    return float(number) * _SECONDS[value.removeprefix(number).strip()]


Duration = Annotated[
    Limit,
    BeforeValidator(_read_seconds),
    WithJsonSchema(
        {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": _WRITTEN}]}
    ),
]


class InvocationDuration(Budget):
    """The duration of a turn, from what the user said to the answer."""

    type = "invocation_duration_v1"
    judges_by = frozenset({Fact.TIME})
    unit = "second"

    max: Duration | None = Field(
        default=None, description="At most this long passes: seconds, or `800ms`, `2.5s`, `1m`"
    )
    min: Duration | None = Field(
        default=None, description="At least this long passes, written like `max`"
    )
    per: Literal["conversation", "turn"] = Field(
        default="turn",
        description="Whether the limits are for each turn or for the sum of all turns",
    )

    def measure(self, turn: Turn) -> Used:
        if not 0 < turn.start_ns <= turn.end_ns:
            return Used(unrecorded="its start and end were not recorded")
        return Used(amount=(turn.end_ns - turn.start_ns) / _NANOSECONDS)


class ToolCallCount(Budget):
    """The number of tool calls, failed calls too."""

    type = "tool_call_count_v1"
    judges_by = frozenset({Fact.TOOL_CALLS})
    unit = "tool call"

    def measure(self, turn: Turn) -> Used:
        return Used(amount=len(turn.tool_calls))


class InferenceCallCount(Budget):
    """The number of requests to language models, failed ones too."""

    type = "inference_call_count_v1"
    unit = "model call"
    of_models = True

    def measure(self, turn: Turn) -> Used:
        return Used(amount=len(turn.model_calls))


class TokenUsage(Budget):
    """The number of tokens."""

    type = "token_usage_v1"
    judges_by = frozenset({Fact.TOKENS})
    unit = "token"
    of_models = True

    count: Literal["total", "input", "output"] = Field(
        default="total", description="Which tokens count: those read, those written, or both"
    )

    def measure(self, turn: Turn) -> Used:
        amount, unrecorded = 0, ""
        for call in turn.model_calls:
            known = [tokens for tokens in self._list_counts(call) if tokens is not None]
            amount += sum(known)
            if not (known or call.failed or unrecorded):
                unrecorded = f"no token count was recorded for a call of {call.model!r}"
        return Used(amount=amount, unrecorded=unrecorded)

    def _list_counts(self, call: ModelCall) -> tuple[int | None, ...]:
        if self.count == "input":
            return (call.input_tokens,)
        if self.count == "output":
            return (call.output_tokens,)
        return call.input_tokens, call.output_tokens
