"""`icontains_all`: the answer has all of several texts in it, in capitals or not."""

from agentevals.graders.assertions import binary
from agentevals.graders.grader import Services
from agentevals.graders.text.checks import SomeTexts, listed
from agentevals.model.cases import Case, Grade


class ContainsAllInAnyCase(SomeTexts):
    """1 where every text occurs in the answer once all is lower case; otherwise 0."""

    type = "icontains_all"

    def grade(self, case: Case, services: Services) -> Grade:
        answer = case.answer.lower()
        missing = [text for text in self.value if text.lower() not in answer]
        return binary(
            met=not missing,
            hit=f"Output contains all {len(self.value)} expected strings (case-insensitive)",
            miss=f"Output missing (case-insensitive): {listed(missing)}",
        )
