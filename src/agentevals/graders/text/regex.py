"""`regex`: the answer matches a pattern."""

from typing import Self

from pydantic import Field, model_validator

from agentevals.graders.assertions import grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.text.checks import OneText, Text
from agentevals.model.cases import Case, Grade
from agentevals.text.patterns import Pattern, pattern


class Regex(OneText):
    """1 where the pattern matches anywhere in the answer; otherwise 0."""

    type = "regex"
    in_name = 30

    value: Text = Field(description="The regular expression, in Python's syntax")
    flags: str = Field(
        default="", description="`i`, `m`, `s`, `y` as in JavaScript; `d`, `g`, `u`, `v` do nothing"
    )

    @model_validator(mode="after")
    def _check_pattern(self) -> Self:
        self._pattern()
        return self

    def grade(self, case: Case, services: Services) -> Grade:
        wanted = self._pattern()
        met = wanted.occurs_in(case.answer)
        said = f"Output {'matches' if met else 'does not match'} pattern {wanted}"
        sentence = f"{said} (flags: {self.flags})" if self.flags else said
        return grade_binary(met=met, hit=sentence, miss=sentence, reasoning=said)

    def _pattern(self) -> Pattern:
        return pattern(self.value, self.flags)
