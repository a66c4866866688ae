import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.tools.trajectory_step_count import StepCount
from agentevals.model.cases import Case
from agentevals.model.conversations import Span, ToolCall
from tests.support import conversation, turn

CALLS = (ToolCall(name="search"), ToolCall(name="bash", args={"command": "git log"}))
RECORDED = conversation(
    turn("done", tool_calls=CALLS),
    spans=(Span(span_id="1", name="agent run"), Span(span_id="2", name="agent step")),
)


@pytest.mark.parametrize(
    ("value", "score"),
    [
        ({"max": 3}, 1),
        ({"max": 2}, 0),
        ({"min": 4}, 0),
        ({"type": "tool", "max": 2}, 1),
        ({"type": "command", "min": 1, "max": 1}, 1),
        ({"type": "command", "pattern": "git*", "max": 0}, 0),
        ({"type": ["tool", "message"], "min": 3}, 1),
        ({"type": "span", "pattern": "agent *", "min": 2, "max": 2}, 1),
        ({"name": "search", "min": 2}, 0),
    ],
)
def test_steps_are_counted(value, score):
    grade = StepCount(name="t", value=value).grade(Case(conversation=RECORDED), Services())

    assert grade.score == score


def test_the_count_and_the_limits_are_said():
    value = {"type": "tool", "name": "s*", "min": 2, "max": 5}
    grade = StepCount(name="t", value=value).grade(Case(conversation=RECORDED), Services())

    assert grade.misses == ("1 steps (tool, s*; required >=2 and <=5)",)


@pytest.mark.parametrize(
    ("value", "mistake"),
    [
        ({"type": "tool"}, "say how many"),
        ({"min": 3, "max": 2}, r"'max' \(2\) is less than 'min' \(3\)"),
        ({"type": "reasoning", "max": 2}, "'tool', 'command', 'message' or 'span'"),
        ({"min": True}, "valid integer"),
        (5, "valid dictionary"),
    ],
)
def test_a_mistake_is_found_when_the_config_is_read(value, mistake):
    with pytest.raises(ValidationError, match=mistake):
        StepCount(name="t", value=value)
