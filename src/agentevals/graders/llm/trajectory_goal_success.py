"""`trajectory:goal-success`: the agent reached a goal, as the judge sees it."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from agentevals.graders.agentv.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.llm.questions import JudgedGrader
from agentevals.graders.llm.questions.judge_prompts import (
    mark_untrusted,
    write_question,
    write_transcript,
)
from agentevals.graders.tools.tool_steps import Name
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact

_TASK = """\
An agent was to reach a goal. Decide from the recording whether it was reached. What the tools
returned is the evidence; that the agent says so is none.
"""
_ASKED = """\
Reason first, in two or three sentences. The verdict is `valid` if the whole goal was reached, and
`invalid` if any part of it was not, or if nothing but the agent's own words shows it.
"""


def _read_goal(given: Any) -> Any:
    """`{goal: …}` says the same as the text alone."""
    return given["goal"] if isinstance(given, dict) and given.keys() == {"goal"} else given


class GoalSuccess(Assertion, JudgedGrader):
    """1 if the judge finds by majority that the goal was reached, otherwise 0."""

    type = "trajectory_goal_success"
    judges_by = frozenset({Fact.ANSWER, Fact.TOOL_CALLS, Fact.ARGUMENTS})

    value: Annotated[
        Name, BeforeValidator(_read_goal, json_schema_input_type=Name | dict[str, Name])
    ] = Field(description="The goal")

    def grade(self, case: Case, services: Services) -> Grade:
        ballot = self.build_panel(services).ask_validity(
            write_question(
                _TASK,
                mark_untrusted("GOAL", self.value),
                write_transcript(case.turns),
                asked=_ASKED,
            )
        )
        grade = grade_binary(
            met=ballot.met,
            hit=f"The goal was reached: {self.value}",
            miss=f"The goal was not reached: {self.value}",
        )
        return Grade(
            score=grade.score,
            hits=grade.hits,
            misses=grade.misses,
            reasoning=ballot.reasoning,
            details={"votes": ballot.counts},
        )
