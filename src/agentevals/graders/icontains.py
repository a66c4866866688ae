"""`icontains`: the answer has a text in it, in capitals or not."""

from agentevals.assertions import binary
from agentevals.grading import Services
from agentevals.model import Case, Grade
from agentevals.text_checks import OneText


class ContainsInAnyCase(OneText):
    """1 where the text occurs in the answer once both are lower case; otherwise 0."""

    type = "icontains"

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=self.value.lower() in case.answer.lower(),
            hit=f'Output contains "{self.value}" (case-insensitive)',
            miss=f'Output does not contain "{self.value}" (case-insensitive)',
        )
