"""`multi_turn_task_success_v1`: whether the user got what they came for."""

from agentevals.graders.grader import Services
from agentevals.graders.llm.questions import JudgedGrader
from agentevals.graders.llm.questions.rubrics import grade_whole, note_own_rubrics
from agentevals.model.cases import Case, Grade, Rubric

_TASK = """\
A user came to an agent with something to be done. Decide from the whole conversation whether it
was done. What the tools returned is the evidence; what the agent claims is not.
"""
_RUBRICS = (
    Rubric(
        rubric_id="goal_reached",
        text="At the end of the conversation the user has what they wanted, as they put it, "
        "with all changes of mind on the way",
    ),
    Rubric(
        rubric_id="nothing_left_out",
        text="Nothing that the user explicitly asked for was forgotten, postponed or only "
        "half done",
    ),
    Rubric(
        rubric_id="conditions_kept",
        text="Every condition, limit or preference that the user stated was kept",
    ),
    Rubric(
        rubric_id="claims_backed",
        text="Everything the agent says it has done is backed by what the recording shows",
    ),
)


class TaskSuccess(JudgedGrader):
    """The share of signs of success that the judge sees in the conversation as a whole."""

    type = "multi_turn_task_success_v1"

    def grade(self, case: Case, services: Services) -> Grade:
        return note_own_rubrics(grade_whole(case, self.build_panel(services), _RUBRICS, _TASK))
