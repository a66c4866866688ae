"""`llm_judge`: a model reads a prompt of the user's and gives a score."""

import re
from typing import Annotated, Any

from msgspec.structs import replace
from pydantic import AliasChoices, Field, field_validator

from agentevals.assertions import Assertion
from agentevals.grading import Services, TextOrFile
from agentevals.judging import TargetedGrader, checklists, freeform, places
from agentevals.judging.criteria import Criteria
from agentevals.model import Case, Grade

_FILE_NAME = re.compile(r"(file://)?\S+\.(md|markdown|txt|text|prompt|j2|jinja2?|tmpl)")


class LLMJudge(Assertion, TargetedGrader):
    """The score that a model gives to the answer, with what it found well done and what not."""

    type = "llm_judge"

    prompt: Annotated[str | None, TextOrFile()] = Field(
        default=None,
        min_length=1,
        description="What the judge is asked: a text, or the file that holds it. `{{answer}}`, "
        "`{{question}}`, `{{criteria}}` and others stand for what is judged; a prompt without "
        "any of them is the criteria of the usual one",
    )
    template: Annotated[str | None, TextOrFile()] = Field(
        default=None,
        min_length=1,
        validation_alias=AliasChoices("template", "evaluatorTemplate", "evaluator_template"),
        description="The prompt where none is given, in place of the usual one",
    )
    rubrics: Criteria = Field(
        default=(), description="Criteria that are judged one by one, as `rubric` does"
    )
    config: dict[str, Any] = Field(default={}, description="Settings of a prompt's program")

    @field_validator("prompt", "template")
    @classmethod
    def _of_known_places(cls, given: str | None) -> str | None:
        if given is None:
            return None
        if _FILE_NAME.fullmatch(given.strip()):
            msg = f"there is no file {given.strip()!r} to read the prompt from"
            raise ValueError(msg)
        return places.checked(given)

    def grade(self, case: Case, services: Services) -> Grade:
        if not case.turns:
            return Grade.not_evaluated("there is no answer to judge")
        judge = self.whom(services)
        template, case = self._asked(case)
        if self.rubrics:
            return checklists.grade(judge, case, self.rubrics, template)
        return freeform.opinion(judge, places.fill(template or freeform.TEMPLATE, case))

    def _asked(self, case: Case) -> tuple[str, Case]:
        """The prompt; one that shows nothing says what to look for, so that there is an answer to see."""
        if self.prompt is None:
            return self.template or "", case
        if places.names_in(self.prompt):
            return self.prompt, case
        return self.template or "", replace(case, criteria=self.prompt)
