"""`multi_turn_tool_use_quality_v1`: how well the agent used its tools."""

from agentevals.graders.grader import Services
from agentevals.graders.llm.questions import JudgedGrader
from agentevals.graders.llm.questions.rubrics import grade_whole, note_own_rubrics
from agentevals.model.cases import Case, Grade, Rubric

_TASK = """\
An agent used tools while it talked with a user. Judge how it used them: which, when, with which
arguments, and what it made of the results. If no tool was called, judge whether one was needed.
"""
_RUBRICS = (
    Rubric(
        rubric_id="right_tools",
        text="The tools that were called are suited to what the user wanted",
    ),
    Rubric(
        rubric_id="right_arguments",
        text="The arguments of the calls are complete and agree with what the user said and "
        "what was found out before",
    ),
    Rubric(
        rubric_id="none_missing",
        text="No call that was needed is missing; the agent does not guess what a tool would "
        "have told it",
    ),
    Rubric(
        rubric_id="none_needless",
        text="No call was needless or repeated without a reason",
    ),
    Rubric(
        rubric_id="results_used",
        text="What the tools returned is used faithfully, and their errors are not passed over",
    ),
)


class ToolUseQuality(JudgedGrader):
    """The share of properties of a good use of tools that the judge sees in the conversation."""

    type = "multi_turn_tool_use_quality_v1"

    def grade(self, case: Case, services: Services) -> Grade:
        return note_own_rubrics(grade_whole(case, self.build_panel(services), _RUBRICS, _TASK))
