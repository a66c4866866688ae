"""ADK's evaluators by rubrics: the share that answers, tool use or a conversation meet."""

from functools import partial

from pydantic import Field

from agentevals.graders.grader import Services
from agentevals.graders.llm.questions import JudgedGrader
from agentevals.graders.llm.questions.rubrics import (
    RubricList,
    ask_about_answer,
    ask_about_turn,
    grade_each_turn,
    grade_whole,
    require_rubrics,
    select_rubrics,
)
from agentevals.model.cases import Case, Grade

_ANSWER_KIND = "FINAL_RESPONSE_QUALITY"
_ANSWER_TASK = """\
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
        prompt = partial(ask_about_answer, _ANSWER_TASK, case)
        return grade_each_turn(self.rubrics, _ANSWER_KIND, case, self.build_panel(services), prompt)


_TOOL_USE_KIND = "TOOL_USE_QUALITY"
_TOOL_USE_TASK = """\
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
        prompt = partial(ask_about_turn, _TOOL_USE_TASK, case)
        return grade_each_turn(
            self.rubrics, _TOOL_USE_KIND, case, self.build_panel(services), prompt
        )


_TRAJECTORY_KIND = "TRAJECTORY_QUALITY"
_TRAJECTORY_TASK = """\
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
        rubrics = require_rubrics(
            select_rubrics(self.rubrics, case, _TRAJECTORY_KIND), _TRAJECTORY_KIND
        )
        return grade_whole(case, self.build_panel(services), rubrics, _TRAJECTORY_TASK)
