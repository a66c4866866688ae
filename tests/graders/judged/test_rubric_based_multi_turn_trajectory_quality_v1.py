import pytest

from agentevals.graders.judged.rubric_based_multi_turn_trajectory_quality_v1 import (
    TrajectoryRubrics,
)
from agentevals.model.cases import Case, Rubric
from agentevals.model.errors import EvaluatorError
from tests.graders.judged.questions.scripted import judged, verdicts
from tests.support import case, conversation, turn


def test_the_whole_conversation_is_judged_once():
    told = Case(
        conversation=conversation(turn("a"), turn("b"), turn("c")),
        rubrics=(
            Rubric(rubric_id="early", text="t", kind="TRAJECTORY_QUALITY", turn=0),
            Rubric(rubric_id="other", text="t", kind="TOOL_USE_QUALITY"),
        ),
    )
    grader = TrajectoryRubrics(name="t", rubrics=["Gets to the point"])

    grade, judge = judged(grader, told, verdicts(rubric_0="yes", early="no"))

    assert grade.score == 0.5
    assert grade.per_turn == (None, None, 0.5)
    assert len(judge.prompts) == 1
    assert '"turn": 3' in judge.prompts[0]


def test_without_rubrics_there_is_nothing_to_go_by():
    with pytest.raises(EvaluatorError, match="TRAJECTORY_QUALITY"):
        judged(TrajectoryRubrics(name="t"), case(), verdicts())
