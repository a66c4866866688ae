"""AgentV's limits for the cost, the time and the tokens of a whole conversation."""

from collections.abc import Iterator
from typing import Self

from pydantic import AliasChoices, ConfigDict, Field, model_validator

from agentevals.graders import budgets
from agentevals.graders.agentv.assertions import Assertion, grade_binary
from agentevals.graders.budgets import Limit, Tokens
from agentevals.graders.grader import (
    IN_CAMEL_CASE_TOO,
    NO_COST,
    NO_DURATION,
    NO_TOKENS,
    REQUIRED,
    Services,
)
from agentevals.graders.javascript import format_number, to_fixed
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact

_DIGITS = 4


class CostOfRun(Assertion):
    """1 if the recorded cost is within the budget; otherwise 0."""

    type = "cost"
    measures_usage = True
    judges_by = frozenset({Fact.COST})

    budget: Limit = Field(description="At most this many US dollars")

    def grade(self, case: Case, services: Services) -> Grade:
        cost, budget = budgets.measure_usage(case).cost_usd, f"${to_fixed(self.budget, _DIGITS)}"
        if cost is None:
            return Grade.not_evaluated(NO_COST)
        spent = f"${to_fixed(cost, _DIGITS)}"
        return grade_binary(
            met=cost <= self.budget,
            hit=f"Cost {spent} <= {budget} budget",
            miss=f"Cost {spent} > {budget} budget",
            reasoning=f"Execution cost {spent} (budget: {budget})",
        )


class Latency(Assertion):
    """1 if the agent took no longer than the limit, all its turns together; otherwise 0."""

    type = "latency"
    measures_usage = True
    judges_by = frozenset({Fact.TIME})
    # AgentV calls the limit `threshold`, which therefore cannot be the score that passes
    model_config = ConfigDict(populate_by_name=False)

    threshold: float = Field(
        default=REQUIRED, ge=0, le=1, validation_alias="pass_threshold", description="Score to pass"
    )
    max_ms: Limit = Field(
        validation_alias=AliasChoices("threshold", "max_ms"),
        description="At most this many milliseconds; AgentV calls it `threshold`",
    )

    def grade(self, case: Case, services: Services) -> Grade:
        took = budgets.measure_usage(case).duration_ms
        limit = f"{format_number(self.max_ms)}ms threshold"
        if took is None:
            return Grade.not_evaluated(NO_DURATION)
        lasted = format_number(took)
        return grade_binary(
            met=took <= self.max_ms,
            hit=f"Duration {lasted}ms <= {limit}",
            miss=f"Duration {lasted}ms > {limit}",
            reasoning=f"Execution took {lasted}ms (threshold: {format_number(self.max_ms)}ms)",
        )


class TokensUsed(Assertion):
    """1 if no limit is exceeded; otherwise 0."""

    type = "token_usage"
    measures_usage = True
    judges_by = frozenset({Fact.TOKENS})
    model_config = IN_CAMEL_CASE_TOO

    max_input: Limit | None = Field(
        default=None,
        description="At most this many tokens read",
    )
    max_output: Limit | None = Field(
        default=None,
        description="At most this many tokens written",
    )
    max_total: Limit | None = Field(
        default=None,
        description="At most this many tokens read, written, and read from a cache",
    )

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if self.max_input is None and self.max_output is None and self.max_total is None:
            msg = "there is no limit; write 'max_total', 'max_input' or 'max_output'"
            raise ValueError(msg)
        return self

    def grade(self, case: Case, services: Services) -> Grade:
        used = budgets.measure_usage(case).tokens
        if used is None:
            return Grade.not_evaluated(NO_TOKENS)
        hits: list[str] = []
        misses: list[str] = []
        for noun, number, limit in self._list_limits(used):
            within = number <= limit
            sentence = f"{noun} tokens {number} {'<=' if within else '>'} {format_number(limit)}"
            (hits if within else misses).append(sentence)
        return Grade(
            score=float(not misses),
            hits=tuple(hits),
            misses=tuple(misses),
            reasoning=f"token-usage input={used.input}, output={used.output}, "
            f"cached={used.cached}, total={used.total}",
        )

    def _list_limits(self, used: Tokens) -> Iterator[tuple[str, int, float]]:
        for noun, number, limit in (
            ("Input", used.input, self.max_input),
            ("Output", used.output, self.max_output),
            ("Total", used.total, self.max_total),
        ):
            if limit is not None:
                yield noun, number, limit
