import pytest
from pydantic import ValidationError

from agentevals.graders.llm.trajectory_goal_success import GoalSuccess
from agentevals.model.cases import Case
from agentevals.model.conversations import ToolCall
from agentevals.model.errors import EvaluatorError
from tests.graders.llm.questions.scripted import USELESS, invalid, judged, valid
from tests.support import conversation, turn

TOLD = Case(conversation=conversation(turn("Moved to 14C.", tool_calls=(ToolCall(name="seat"),))))


def test_the_judge_sees_the_goal_and_the_whole_conversation():
    grade, judge = judged(GoalSuccess(name="g", value="move to 14C"), TOLD, valid("it was moved"))

    assert (grade.score, grade.hits) == (1, ("The goal was reached: move to 14C",))
    assert grade.reasoning == "it was moved"
    assert all(text in judge.prompts[0] for text in ("move to 14C", "Moved to 14C.", "seat"))


def test_the_majority_decides():
    grader = GoalSuccess(name="g", value={"goal": "move"}, num_samples=3)
    grade, _ = judged(grader, TOLD, valid(), invalid("not moved"), invalid("no"))

    assert (grade.score, grade.misses) == (0, ("The goal was not reached: move",))
    assert grade.details == {"votes": {"yes": 1, "no": 2}}


def test_a_judge_that_gives_no_usable_answer_is_an_error():
    with pytest.raises(EvaluatorError, match="no usable answer"):
        judged(GoalSuccess(name="g", value="move"), TOLD, USELESS)


@pytest.mark.parametrize("value", ["", " ", {}, {"goal": ""}, {"goal": "a", "b": 1}, 5])
def test_what_is_no_goal_is_refused(value):
    with pytest.raises(ValidationError):
        GoalSuccess(name="g", value=value)
