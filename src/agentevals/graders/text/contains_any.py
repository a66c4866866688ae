"""`contains_any`: the answer has one of several texts in it."""

from agentevals.graders.assertions import binary
from agentevals.graders.grader import Services
from agentevals.graders.text.checks import SomeTexts, listed
from agentevals.model.cases import Case, Grade


class ContainsAny(SomeTexts):
    """1 where one of the texts occurs in the answer; otherwise 0."""

    type = "contains_any"

    def grade(self, case: Case, services: Services) -> Grade:
        found = next((text for text in self.value if text in case.answer), None)
        return binary(
            met=found is not None,
            hit=f'Output contains "{found}"',
            miss=f"Output does not contain any of: {listed(self.value)}",
        )
