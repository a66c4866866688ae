"""`contains`: the answer has a text in it."""

from pydantic import Field

from agentevals.assertions import Assertion, binary
from agentevals.grading import Services
from agentevals.model import Case, Grade


class Contains(Assertion):
    """1 where the text occurs in the answer, letter by letter; otherwise 0."""

    type = "contains"

    value: str = Field(min_length=1, description="The text")

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=self.value in case.answer,
            hit=f'Output contains "{self.value}"',
            miss=f'Output does not contain "{self.value}"',
        )
