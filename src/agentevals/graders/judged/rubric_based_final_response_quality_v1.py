"""`rubric_based_final_response_quality_v1`: the share of rubrics that the answers meet."""

from functools import partial

from pydantic import Field

from agentevals.graders.grader import Services
from agentevals.graders.judged.questions import JudgedGrader
from agentevals.graders.judged.questions.rubrics import RubricList, about_answer, grade_each_turn
from agentevals.model.cases import Case, Grade

_KIND = "FINAL_RESPONSE_QUALITY"
_TASK = """\
An agent answered a user. Decide which properties its final answer has. The conversation, with the
tools that were used and what they returned, is there so that you can check what the answer says.
"""


class ResponseRubrics(JudgedGrader):
    """Each rubric is met or not, by majority; the score is the mean over all rubrics and turns.

    A tie is not met, and neither is what the judge leaves out.
    """

    type = "rubric_based_final_response_quality_v1"

    rubrics: RubricList = Field(default=(), description="Properties of a good answer")

    def grade(self, case: Case, services: Services) -> Grade:
        prompt = partial(about_answer, _TASK, case)
        return grade_each_turn(self.rubrics, _KIND, case, self.panel(services), prompt)
