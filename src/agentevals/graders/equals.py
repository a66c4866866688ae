"""`equals`: what the answer is."""

from agentevals.assertions import binary
from agentevals.grading import Services
from agentevals.javascript import trim
from agentevals.model import Case, Grade
from agentevals.text_checks import OneText


class Equals(OneText):
    """1 where the answer is the text, white space around both aside; otherwise 0."""

    type = "equals"

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=trim(case.answer) == trim(self.value),
            hit=f'Output equals "{self.value}"',
            miss=f'Output does not equal "{self.value}"',
        )
