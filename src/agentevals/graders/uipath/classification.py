"""What the two classifications have in common."""

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import Field

from agentevals.graders.uipath.classes import Pair
from agentevals.graders.uipath.sentences import shown, yes_or_no
from agentevals.graders.uipath.settings import OutputEvaluator
from agentevals.model.cases import Case, Grade
from agentevals.model.results import Result


class Classification(OutputEvaluator):
    """The output, or a part of it, is a class; upper and lower case do not differ."""

    of_the_case: ClassVar[tuple[str, ...]] = ("expected_class",)

    expected_class: str = Field(description="The class that is wanted")
    f_value: float = Field(
        default=1.0, gt=0, allow_inf_nan=False, description="Above 1 the F-score favours recall"
    )

    def expectation(self, case: Case) -> str:
        return self.expected_class

    def told(self, wanted: Any, actual: Any) -> Grade:
        """Whether it is the same class."""
        expected, found = str(wanted).lower(), str(actual).lower()
        return yes_or_no(
            met=expected == found,
            hit=f"the class is {shown(expected)}",
            miss=f"the class is {shown(found)}, not {shown(expected)}",
            expected=expected,
            actual=found,
        )


def pairs(results: Sequence[Result]) -> list[Pair]:
    """What was predicted and what was expected, of the results that say it."""
    said = [(result.details.get("actual"), result.details.get("expected")) for result in results]
    return [
        (actual, expected)
        for actual, expected in said
        if isinstance(actual, str) and isinstance(expected, str)
    ]
