"""`multi_turn_trajectory_quality_v1`: how well the agent went about its task."""

from agentevals.graders.grader import Services
from agentevals.graders.llm.questions import JudgedGrader
from agentevals.graders.llm.questions.rubrics import grade_whole, note_own_rubrics
from agentevals.model.cases import Case, Grade, Rubric

_TASK = """\
An agent worked on what a user wanted, over one or more turns. Judge the way it went, not only
where it arrived: its steps, their order, and what it made of what it learnt on the way.
"""
_RUBRICS = (
    Rubric(
        rubric_id="steps_lead_somewhere",
        text="Each step of the agent serves what the user wants at that point; none is "
        "beside the point",
    ),
    Rubric(
        rubric_id="order_makes_sense",
        text="The steps come in an order that makes sense; nothing is done before what it "
        "depends on is known",
    ),
    Rubric(
        rubric_id="no_needless_repetition",
        text="The agent neither repeats steps that had already succeeded nor asks again for "
        "what it had been told",
    ),
    Rubric(
        rubric_id="setbacks_handled",
        text="Where something fails or is unclear, the agent notices it and reacts sensibly",
    ),
    Rubric(
        rubric_id="context_kept",
        text="What was said or found earlier in the conversation is used correctly later on",
    ),
)


class TrajectoryQuality(JudgedGrader):
    """The share of properties of a good course of action that the judge sees."""

    type = "multi_turn_trajectory_quality_v1"

    def grade(self, case: Case, services: Services) -> Grade:
        return note_own_rubrics(grade_whole(case, self.build_panel(services), _RUBRICS, _TASK))
