"""`response_evaluation_score`: how coherent the answers are."""

from agentevals.graders.grader import Services
from agentevals.graders.llm.questions import JudgedGrader
from agentevals.graders.llm.questions.rubrics import grade_answers, note_own_rubrics
from agentevals.model.cases import Case, Grade, Rubric

_TASK = """\
An agent answered a user. Decide how coherent its answer is: whether it holds together and can be
followed. Whether what it says is true is not the question.
"""
_RUBRICS = (
    Rubric(rubric_id="to_the_point", text="The answer responds to what the user said last"),
    Rubric(rubric_id="ordered", text="Its sentences follow on from each other in a sensible order"),
    Rubric(rubric_id="consistent", text="It does not contradict itself"),
    Rubric(
        rubric_id="complete", text="It does not break off, and refers to nothing that is not there"
    ),
)


class ResponseEvaluation(JudgedGrader):
    """The share of properties of a coherent answer, over all turns; silence is not judged."""

    type = "response_evaluation_score"

    def grade(self, case: Case, services: Services) -> Grade:
        return note_own_rubrics(grade_answers(case, self.build_panel(services), _RUBRICS, _TASK))
