from agentevals.graders.budgets.tool_call_count_v1 import ToolCallCount
from agentevals.graders.grader import Services
from agentevals.model.conversations import ToolCall, Turn
from tests.support import paired


def test_failed_calls_count_too():
    calls = (ToolCall(name="a"), ToolCall(name="a", failed=True), ToolCall(name="b"))
    grader = ToolCallCount(name="calls", max=2)

    assert grader.grade(paired([Turn(tool_calls=calls)], None), Services()).details["used"] == 3


def test_an_agent_that_calls_no_tool_stays_within_its_budget():
    grader = ToolCallCount(name="calls", max=0)

    assert grader.grade(paired([Turn()], None), Services()).score == 1
