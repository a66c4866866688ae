"""`token_usage_v1`: a budget for the tokens that an agent's language models read and write."""

from typing import Literal

from pydantic import Field

from agentevals.graders.budgets.limits import Budget, Used
from agentevals.model.conversations import ModelCall, Turn


class TokenUsage(Budget):
    """How many tokens were used."""

    type = "token_usage_v1"
    unit = "token"
    of_models = True

    count: Literal["total", "input", "output"] = Field(
        default="total", description="Which tokens count: those read, those written, or both"
    )

    def used(self, turn: Turn) -> Used:
        return sum(map(self._of_call, turn.model_calls), start=Used())

    def _of_call(self, call: ModelCall) -> Used:
        counted = {
            "total": (call.input_tokens, call.output_tokens),
            "input": (call.input_tokens,),
            "output": (call.output_tokens,),
        }[self.count]
        known = [tokens for tokens in counted if tokens is not None]
        if known or call.failed:
            return Used(amount=sum(known))
        return Used(unrecorded=f"no token count was recorded for a call of {call.model!r}")
