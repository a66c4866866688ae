"""`latency`: the answer came in time."""

from pydantic import AliasChoices, ConfigDict, Field

from agentevals.graders.assertions import Assertion, binary
from agentevals.graders.budgets import usage
from agentevals.graders.budgets.limits import Limit
from agentevals.graders.grader import REQUIRED, Services
from agentevals.graders.javascript import number_text
from agentevals.model.cases import Case, Grade


class Latency(Assertion):
    """1 where the agent took no longer than the limit, all its turns together; otherwise 0."""

    type = "latency"
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
        took = usage.of(case).duration_ms
        limit = f"{number_text(self.max_ms)}ms threshold"
        if took is None:
            return binary(
                met=False,
                hit="",
                miss="No duration data available in trace",
                reasoning="Execution duration not recorded",
            )
        lasted = number_text(took)
        return binary(
            met=took <= self.max_ms,
            hit=f"Duration {lasted}ms <= {limit}",
            miss=f"Duration {lasted}ms > {limit}",
            reasoning=f"Execution took {lasted}ms (threshold: {number_text(self.max_ms)}ms)",
        )
