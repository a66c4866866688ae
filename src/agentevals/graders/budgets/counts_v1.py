"""Budgets for calls and tokens, of which the recording gives the number."""

from typing import Literal

from pydantic import Field

from agentevals.graders.budgets.limits import Budget, Used
from agentevals.model.conversations import ModelCall, Turn


class ToolCallCount(Budget):
    """The number of tool calls, failed calls too."""

    type = "tool_call_count_v1"
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
    unit = "token"
    of_models = True

    count: Literal["total", "input", "output"] = Field(
        default="total", description="Which tokens count: those read, those written, or both"
    )

    def measure(self, turn: Turn) -> Used:
        return sum(map(self._count_tokens, turn.model_calls), start=Used())

    def _count_tokens(self, call: ModelCall) -> Used:
        counted = {
            "total": (call.input_tokens, call.output_tokens),
            "input": (call.input_tokens,),
            "output": (call.output_tokens,),
        }[self.count]
        known = [tokens for tokens in counted if tokens is not None]
        if known or call.failed:
            return Used(amount=sum(known))
        return Used(unrecorded=f"no token count was recorded for a call of {call.model!r}")
