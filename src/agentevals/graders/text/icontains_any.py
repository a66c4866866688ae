"""`icontains_any`: the answer has one of several texts in it, in capitals or not."""

from agentevals.graders.assertions import binary
from agentevals.graders.grader import Services
from agentevals.graders.text.checks import SomeTexts, listed
from agentevals.model.cases import Case, Grade


class ContainsAnyInAnyCase(SomeTexts):
    """1 where one of the texts occurs in the answer once all is lower case; otherwise 0."""

    type = "icontains_any"

    def grade(self, case: Case, services: Services) -> Grade:
        answer = case.answer.lower()
        found = next((text for text in self.value if text.lower() in answer), None)
        return binary(
            met=found is not None,
            hit=f'Output contains "{found}" (case-insensitive)',
            miss=f"Output does not contain any of: {listed(self.value)} (case-insensitive)",
        )
