"""`starts_with`: how the answer begins."""

from agentevals.graders.assertions import binary
from agentevals.graders.grader import Services
from agentevals.graders.javascript import trim
from agentevals.graders.text.checks import OneText
from agentevals.model.cases import Case, Grade


class StartsWith(OneText):
    """1 where the answer begins with the text, white space around both aside; otherwise 0."""

    type = "starts_with"

    def grade(self, case: Case, services: Services) -> Grade:
        return binary(
            met=trim(case.answer).startswith(trim(self.value)),
            hit=f'Output starts with "{self.value}"',
            miss=f'Output does not start with "{self.value}"',
        )
