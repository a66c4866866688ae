"""`equals`: what the answer is."""

from agentevals.graders.assertions import binary
from agentevals.graders.grader import Services
from agentevals.graders.javascript import trim
from agentevals.graders.text.checks import OneText
from agentevals.model.cases import Case, Grade


class Equals(OneText):
    """1 where the answer is the text, white space around both aside; otherwise 0."""

    type = "equals"

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=trim(case.answer) == trim(self.value),
            hit=f'Output equals "{self.value}"',
            miss=f'Output does not equal "{self.value}"',
        )
