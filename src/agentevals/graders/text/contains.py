"""`contains`: the answer has a text in it."""

from agentevals.graders.assertions import binary
from agentevals.graders.grader import Services
from agentevals.graders.text.checks import OneText
from agentevals.model.cases import Case, Grade


class Contains(OneText):
    """1 where the text occurs in the answer, letter by letter; otherwise 0."""

    type = "contains"

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=self.value in case.answer,
            hit=f'Output contains "{self.value}"',
            miss=f'Output does not contain "{self.value}"',
        )
