"""What UiPath's evaluators from before version 1.0 have in common."""

from typing import Any

from msgspec.structs import replace
from pydantic import Field

from agentevals.files.places import quoted
from agentevals.graders.grader import Services
from agentevals.graders.uipath import outputs, paths
from agentevals.graders.uipath.settings import Lines, OfExpectedOutput, OnePath
from agentevals.model.cases import Case, Grade

_MISSING = object()
_WHOSE = ("the expected output", "the agent's output")


class LegacyEvaluator(OfExpectedOutput, Lines):
    """Compares with the expected output of the case. A side that lacks the path is empty."""

    target_output_key: OnePath = Field(
        default=paths.WHOLE,
        description="What to look at: `*` for all, or a path such as `items[0].name`",
    )
    line_by_line_evaluation: bool = Field(
        default=False, description="Whether each line is looked at on its own"
    )

    @property
    def by_line(self) -> bool:
        return self.line_by_line_evaluation

    @property
    def expects_nothing(self) -> bool:
        """Whether the expected output of its settings lacks the path."""
        wanted = self.expected_output
        return wanted is not None and self._parts(wanted) == [_MISSING]

    def wanted(self, written: Any) -> Any:
        return written

    def grade(self, case: Case, services: Services) -> Grade:
        """The grade, which names each side that lacks the path."""
        grade = super().grade(case, services)
        wanted = self.expectation(case)
        if grade.score is None or wanted is None:
            return grade
        parts = self._parts(wanted, outputs.of_case(case))
        lacking = [whose for whose, part in zip(_WHOSE, parts, strict=True) if part is _MISSING]
        said = tuple(
            f"{whose} has nothing at {quoted(self.target_output_key)}" for whose in lacking
        )
        where = "hits" if grade.score >= 1 else "misses"
        return replace(grade, **{where: said + getattr(grade, where)})

    def sides(self, case: Case, wanted: Any) -> tuple[Any, Any]:
        actual = outputs.of_case(case)
        if self.by_line:
            expected, found = self._parts(wanted, actual)
            return expected, outputs.at_hand(found)
        if isinstance(wanted, str) is not isinstance(actual, str):
            return wanted, actual  # a text has no parts, and is no object
        expected, found = self.parts(wanted, actual)
        return outputs.normal(expected), outputs.normal(found)

    def judge(self, wanted: Any, actual: Any) -> Grade:
        if wanted is _MISSING or actual is _MISSING:
            return Grade(score=float(wanted is actual))  # there are no lines to look at
        return super().judge(wanted, actual)

    def parts(self, *both: Any) -> list[Any]:
        """What the path leads to on each side: an empty object where it leads nowhere."""
        return [{} if part is _MISSING else part for part in self._parts(*both)]

    def _parts(self, *both: Any) -> list[Any]:
        """A text is taken whole. A path that neither side has may be a key with dots in it."""
        key = self.target_output_key
        if key in {paths.WHOLE, ""}:
            return list(both)
        found = [_part(side, paths.steps(key)) for side in both]
        if all(part is _MISSING for part in found):
            return [_part(side, (key,)) for side in both]
        return found


def _part(side: Any, steps: paths.Steps) -> Any:
    if isinstance(side, str):
        return side
    try:
        return paths.at(side, steps)
    except paths.MissingStepError:
        return _MISSING
