"""`rubric_based_multi_turn_trajectory_quality_v1`: the share of rubrics a conversation meets."""

from pydantic import Field

from agentevals.graders.grader import Services
from agentevals.graders.judged.questions import JudgedGrader
from agentevals.graders.judged.questions.rubrics import (
    RubricList,
    applicable,
    grade_whole,
    required,
)
from agentevals.model.cases import Case, Grade

_KIND = "TRAJECTORY_QUALITY"
_TASK = """\
A user and an agent had a conversation. Decide which properties the course of it has, from the
first turn to the last: what the agent did, in which order, and what it made of what it learnt.
"""


class TrajectoryRubrics(JudgedGrader):
    """Each rubric is met or not, by majority, once for the whole conversation.

    A tie is not met, and neither is what the judge leaves out.
    """

    type = "rubric_based_multi_turn_trajectory_quality_v1"

    rubrics: RubricList = Field(default=(), description="Properties of a good conversation")

    def grade(self, case: Case, services: Services) -> Grade:
        rubrics = required(applicable(self.rubrics, case, _KIND), _KIND)
        return grade_whole(case, self.panel(services), rubrics, _TASK)
