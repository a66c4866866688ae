"""`contains_all`: the answer has all of several texts in it."""

from agentevals.assertions import binary
from agentevals.grading import Services
from agentevals.model import Case, Grade
from agentevals.text_checks import SomeTexts, listed


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
