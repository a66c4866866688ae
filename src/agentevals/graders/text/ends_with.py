"""`ends_with`: how the answer ends."""

from agentevals.graders.assertions import binary
from agentevals.graders.grader import Services
from agentevals.graders.javascript import trim
from agentevals.graders.text.checks import OneText
from agentevals.model.cases import Case, Grade


class EndsWith(OneText):
    """1 where the answer ends with the text, white space around both aside; otherwise 0."""

    type = "ends_with"

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=trim(case.answer).endswith(trim(self.value)),
            hit=f'Output ends with "{self.value}"',
            miss=f'Output does not end with "{self.value}"',
        )
