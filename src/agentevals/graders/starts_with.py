"""`starts_with`: how the answer begins."""

from agentevals.assertions import binary
from agentevals.grading import Services
from agentevals.javascript import trim
from agentevals.model import Case, Grade
from agentevals.text_checks import OneText


class StartsWith(OneText):
    """1 where the answer begins with the text, white space around both aside; otherwise 0."""

    type = "starts_with"

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=trim(case.answer).startswith(trim(self.value)),
            hit=f'Output starts with "{self.value}"',
            miss=f'Output does not start with "{self.value}"',
        )
