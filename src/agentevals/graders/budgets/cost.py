"""`cost`: what the agent's language models cost, as it was recorded."""

from pydantic import Field

from agentevals.graders.assertions import Assertion, binary
from agentevals.graders.budgets import usage
from agentevals.graders.budgets.limits import Limit
from agentevals.graders.grader import Services
from agentevals.graders.javascript import to_fixed
from agentevals.model.cases import Case, Grade

_DIGITS = 4


class CostOfRun(Assertion):
    """1 where the recorded cost is within the budget; otherwise 0."""

    type = "cost"

    budget: Limit = Field(description="At most this many US dollars")

    def grade(self, case: Case, services: Services) -> Grade:
        cost, budget = usage.of(case).cost_usd, f"${to_fixed(self.budget, _DIGITS)}"
        if cost is None:
            return binary(
                met=False,
                hit="",
                miss="No cost data available in trace",
                reasoning="Execution cost not reported by provider",
            )
        spent = f"${to_fixed(cost, _DIGITS)}"
        return binary(
            met=cost <= self.budget,
            hit=f"Cost {spent} <= {budget} budget",
            miss=f"Cost {spent} > {budget} budget",
            reasoning=f"Execution cost {spent} (budget: {budget})",
        )
