"""ADK's evaluators by rubrics: the share that answers, tool use or a conversation meet."""

from functools import partial
from typing import ClassVar

from pydantic import Field

from agentevals.graders.grader import Services
from agentevals.graders.llm.questions import JudgedGrader
from agentevals.graders.llm.questions.judged_rubrics import (
    RubricList,
    ask_about_answer,
    ask_about_turn,
    grade_each_turn,
    grade_whole,
    require_rubrics,
    select_rubrics,
)
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact


class ResponseRubrics(JudgedGrader):
    """Each rubric is met or not, by majority; the score is the mean over all rubrics and turns.

    A tie is not met, and neither is what the judge leaves out.
    """

    type = "rubric_based_final_response_quality_v1"
    kind: ClassVar = "FINAL_RESPONSE_QUALITY"
    task: ClassVar = """\
An agent answered a user. Decide which properties its final answer has. The conversation, with the
tools that were used and what they returned, is there so that you can check what the answer says.
"""
    judges_by = frozenset({Fact.ANSWER})

    rubrics: RubricList = Field(default=(), description="Properties of a good answer")

    def grade(self, case: Case, services: Services) -> Grade:
        prompt = partial(ask_about_answer, self.task, case)
        return grade_each_turn(self.rubrics, self.kind, case, self.build_panel(services), prompt)


class ToolUseRubrics(JudgedGrader):
    """Each rubric is met or not, by majority; the score is the mean over all rubrics and turns.

    A tie is not met, and neither is what the judge leaves out.
    """

    type = "rubric_based_tool_use_quality_v1"
    kind: ClassVar = "TOOL_USE_QUALITY"
    task: ClassVar = """\
An agent used tools to answer a user. Decide which properties its use of tools in the last turn of
the conversation has: which tools it called, with which arguments, in which order. Whether the
final answer is good is not the question.
"""
    judges_by = frozenset({Fact.TOOL_CALLS, Fact.ARGUMENTS})

    rubrics: RubricList = Field(default=(), description="Properties of a good use of tools")

    def grade(self, case: Case, services: Services) -> Grade:
        prompt = partial(ask_about_turn, self.task, case)
        return grade_each_turn(self.rubrics, self.kind, case, self.build_panel(services), prompt)


class TrajectoryRubrics(JudgedGrader):
    """Each rubric is met or not, by majority, once for the whole conversation.

    A tie is not met, and neither is what the judge leaves out.
    """

    type = "rubric_based_multi_turn_trajectory_quality_v1"
    kind: ClassVar = "TRAJECTORY_QUALITY"
    task: ClassVar = """\
A user and an agent had a conversation. Decide which properties the course of it has, from the
first turn to the last: what the agent did, in which order, and what it made of what it learnt.
"""
    judges_by = frozenset({Fact.ANSWER, Fact.TOOL_CALLS, Fact.ARGUMENTS})

    rubrics: RubricList = Field(default=(), description="Properties of a good conversation")

    def grade(self, case: Case, services: Services) -> Grade:
        rubrics = require_rubrics(select_rubrics(self.rubrics, case, self.kind), self.kind)
        return grade_whole(case, self.build_panel(services), rubrics, self.task)
