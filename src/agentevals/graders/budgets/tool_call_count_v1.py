"""`tool_call_count_v1`: a budget for the tools an agent calls."""

from agentevals.graders.budgets.limits import Budget, Used
from agentevals.model.conversations import Turn


class ToolCallCount(Budget):
    """How many tools were called, failed calls too."""

    type = "tool_call_count_v1"
    unit = "tool call"

    def used(self, turn: Turn) -> Used:
        return Used(amount=len(turn.tool_calls))
