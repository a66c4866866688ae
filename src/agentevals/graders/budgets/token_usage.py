"""`token_usage`: the tokens that the agent's language models read and wrote."""

from collections.abc import Iterator
from typing import Self

from pydantic import Field, model_validator

from agentevals.graders.assertions import IN_CAMEL_CASE_TOO, Assertion, binary
from agentevals.graders.budgets import usage
from agentevals.graders.budgets.limits import Limit
from agentevals.graders.budgets.usage import Tokens
from agentevals.graders.grader import Services
from agentevals.graders.javascript import number_text
from agentevals.model.cases import Case, Grade


class TokensUsed(Assertion):
    """1 where no limit is exceeded; otherwise 0."""

    type = "token_usage"
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
    def _has_limits(self) -> Self:
        if self.max_input is None and self.max_output is None and self.max_total is None:
            msg = "there is no limit; write 'max_total', 'max_input' or 'max_output'"
            raise ValueError(msg)
        return self

    def grade(self, case: Case, services: Services) -> Grade:
        used = usage.of(case).tokens
        if used is None:
            return binary(met=False, hit="", miss="No token usage data available in trace")
        hits: list[str] = []
        misses: list[str] = []
        for noun, number, limit in self._limits(used):
            within = number <= limit
            sentence = f"{noun} tokens {number} {'<=' if within else '>'} {number_text(limit)}"
            (hits if within else misses).append(sentence)
        return Grade(
            score=float(not misses),
            hits=tuple(hits),
            misses=tuple(misses),
            reasoning=f"token-usage input={used.input}, output={used.output}, "
            f"cached={used.cached}, total={used.total}",
        )

    def _limits(self, used: Tokens) -> Iterator[tuple[str, int, float]]:
        for noun, number, limit in (
            ("Input", used.input, self.max_input),
            ("Output", used.output, self.max_output),
            ("Total", used.total, self.max_total),
        ):
            if limit is not None:
                yield noun, number, limit
