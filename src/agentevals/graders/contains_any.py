"""`contains_any`: the answer has one of several texts in it."""

from agentevals.assertions import binary
from agentevals.grading import Services
from agentevals.model import Case, Grade
from agentevals.text_checks import SomeTexts, listed


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
