"""`contains_all`: the answer has all of several texts in it."""

from agentevals.graders.assertions import binary
from agentevals.graders.grader import Services
from agentevals.graders.text.checks import SomeTexts, listed
from agentevals.model.cases import Case, Grade


class ContainsAll(SomeTexts):
    """1 where every text occurs in the answer; otherwise 0, however many do."""

    type = "contains_all"

    def grade(self, case: Case, services: Services) -> Grade:
        missing = [text for text in self.value if text not in case.answer]
        return binary(
            met=not missing,
            hit=f"Output contains all {len(self.value)} expected strings",
            miss=f"Output missing: {listed(missing)}",
        )
