"""`ends_with`: how the answer ends."""

from agentevals.assertions import binary
from agentevals.grading import Services
from agentevals.javascript import trim
from agentevals.model import Case, Grade
from agentevals.text_checks import OneText


class EndsWith(OneText):
    """1 where the answer ends with the text, white space around both aside; otherwise 0."""

    type = "ends_with"

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=trim(case.answer).endswith(trim(self.value)),
            hit=f'Output ends with "{self.value}"',
            miss=f'Output does not end with "{self.value}"',
        )
