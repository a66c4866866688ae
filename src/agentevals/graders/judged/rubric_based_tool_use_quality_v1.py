"""`rubric_based_tool_use_quality_v1`: the share of rubrics that the use of tools meets."""

from functools import partial

from pydantic import Field

from agentevals.graders.grader import Services
from agentevals.graders.judged.questions import JudgedGrader
from agentevals.graders.judged.questions.rubrics import RubricList, about_turn, grade_each_turn
from agentevals.model.cases import Case, Grade

_KIND = "TOOL_USE_QUALITY"
_TASK = """\
An agent used tools to answer a user. Decide which properties its use of tools in the last turn of
the conversation has: which tools it called, with which arguments, in which order. Whether the
final answer is good is not the question.
"""


class ToolUseRubrics(JudgedGrader):
    """Each rubric is met or not, by majority; the score is the mean over all rubrics and turns.

    A tie is not met, and neither is what the judge leaves out.
    """

    type = "rubric_based_tool_use_quality_v1"

    rubrics: RubricList = Field(default=(), description="Properties of a good use of tools")

    def grade(self, case: Case, services: Services) -> Grade:
        prompt = partial(about_turn, _TASK, case)
        return grade_each_turn(self.rubrics, _KIND, case, self.panel(services), prompt)
