"""`rubric`: a model holds the answer against each of several criteria."""

from collections.abc import Mapping
from typing import Any

from pydantic import AliasChoices, Field

from agentevals.graders.agentv.assertions import Assertion
from agentevals.graders.grader import NO_ANSWER, Services
from agentevals.graders.llm.questions import TargetedGrader, agentv_questions
from agentevals.graders.llm.questions.rubric_criteria import Criteria
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact


class Rubric(Assertion, TargetedGrader):
    """The weighted share of the criteria that are met, or of the points that are given."""

    type = "rubric"

    rubrics: Criteria = Field(
        min_length=1,
        validation_alias=AliasChoices("rubrics", "criteria"),
        description="What a good answer does: texts, or criteria with settings of their own",
    )

    def list_needs(self, case: Case) -> frozenset[Fact]:
        asked = bool(case.task and case.task.input)
        return frozenset({Fact.ANSWER} if asked else {Fact.ANSWER, Fact.QUESTION})

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:  # noqa: ARG003 -- the seam's
        return "rubrics"

    def grade(self, case: Case, services: Services) -> Grade:
        if not case.turns:
            return Grade.not_evaluated(NO_ANSWER)
        return self.add_inert(
            agentv_questions.grade(self.select_judge(services), case, self.rubrics)
        )
