import pytest

from agentevals.graders.judged.rubric_based_tool_use_quality_v1 import ToolUseRubrics
from agentevals.model.cases import Case, Rubric
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError
from tests.graders.judged.questions.scripted import judged, verdicts
from tests.support import case, conversation, turn


def test_the_calls_of_each_turn_are_shown_with_all_that_came_before():
    first = turn("a", tool_calls=(ToolCall(name="search", args={"q": "x"}),))
    second = turn("b", tool_calls=(ToolCall(name="buy", args={}),))
    grader = ToolUseRubrics(name="t", rubrics=["Searches before it buys"])

    grade, judge = judged(
        grader,
        Case(conversation=conversation(first, second)),
        verdicts(rubric_0="no"),
        verdicts(rubric_0="yes"),
    )

    assert grade.per_turn == (0.0, 1.0)
    assert '"tool": "buy"' not in judge.prompts[0]
    assert '"tool": "search", "arguments": {"q": "x"}' in judge.prompts[1]


def test_rubrics_about_answers_are_not_about_tools():
    about_answers = Rubric(rubric_id="a", text="t", kind="FINAL_RESPONSE_QUALITY")

    with pytest.raises(EvaluatorError, match="TOOL_USE_QUALITY"):
        judged(ToolUseRubrics(name="t"), case(rubrics=(about_answers,)), verdicts())
