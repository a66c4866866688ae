"""`icontains`: the answer has a text in it, in capitals or not."""

from agentevals.graders.assertions import binary
from agentevals.graders.grader import Services
from agentevals.graders.text.checks import OneText
from agentevals.model.cases import Case, Grade


class ContainsInAnyCase(OneText):
    """1 where the text occurs in the answer once both are lower case; otherwise 0."""

    type = "icontains"

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=self.value.lower() in case.answer.lower(),
            hit=f'Output contains "{self.value}" (case-insensitive)',
            miss=f'Output does not contain "{self.value}" (case-insensitive)',
        )
