"""UiPath's classifications: one class told from the others, or several told apart."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from agentevals.graders.uipath.uipath_grader import Classes, OutputEvaluator, Wanted
from agentevals.graders.uipath.uipath_outputs import grade_yes_or_no, quote_value
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError
from agentevals.model.results import Result
from agentevals_evaluator_sdk.standins.uipath import standin_confusion
from agentevals_evaluator_sdk.standins.uipath.standin_confusion import Pair


class Classification(OutputEvaluator):
    """The output, or a part of it, is a class; upper and lower case do not differ."""

    of_the_case: ClassVar[tuple[str, ...]] = ("expected_class",)

    expected_class: str = Field(description="The class that is wanted")
    f_value: float = Field(
        default=1.0, gt=0, allow_inf_nan=False, description="Above 1 the F-score favours recall"
    )

    def find_expectation(self, case: Case) -> Wanted:
        return Wanted(self.expected_class)

    def compare_classes(self, wanted: Any, actual: Any) -> Grade:
        """Grade whether it is the same class."""
        expected, found = str(wanted).lower(), str(actual).lower()
        return grade_yes_or_no(
            met=expected == found,
            hit=f"the class is {quote_value(expected)}",
            miss=f"the class is {quote_value(found)}, not {quote_value(expected)}",
            expected=expected,
            actual=found,
        )


def list_pairs(results: Sequence[Result]) -> list[Pair]:
    """List what was predicted and what was expected, of the results that say it."""
    said = [(result.details.get("actual"), result.details.get("expected")) for result in results]
    return [
        (actual, expected)
        for actual, expected in said
        if isinstance(actual, str) and isinstance(expected, str)
    ]


class BinaryClassification(Classification):
    """1 if the class is the expected one. Over all cases: precision, recall or F-score."""

    type = "uipath_binary_classification"

    positive_class: str = Field(min_length=1, description="The class that is looked for")
    metric_type: Literal["precision", "recall", "f-score"] = Field(
        default="precision", description="The figure over all cases"
    )

    def judge(self, wanted: Any, actual: Any) -> Grade:
        return self.compare_classes(wanted, actual)

    @property
    def reduced_by(self) -> str:
        return self.metric_type

    def reduce_results(self, results: Sequence[Result]) -> float | None:
        positive = self.positive_class.lower()
        return standin_confusion.measure_one_class(
            positive, list_pairs(results), self.metric_type, self.f_value
        )


class MulticlassClassification(Classification):
    """1 if the class is the expected one. Over all cases: precision, recall or F-score."""

    type = "uipath_multiclass_classification"

    classes: Classes = Field(min_length=1, description="The classes that there are")
    metric_type: Literal["precision", "recall", "f-score"] = Field(
        default="f-score", description="The figure over all cases"
    )
    averaging: Literal["macro", "micro"] = Field(
        default="macro", description="Whether classes count alike, or cases"
    )

    def judge(self, wanted: Any, actual: Any) -> Grade:
        known = [name.lower() for name in self.classes]
        for what, given in (("expected", wanted), ("predicted", actual)):
            if str(given).lower() not in known:
                listed = ", ".join(known)[:200]
                shown = quote_value(str(given))
                msg = f"the {what} class {shown} is none of the 'classes' ({listed})"
                raise EvaluatorError(msg)
        return self.compare_classes(wanted, actual)

    @property
    def reduced_by(self) -> str:
        return self.metric_type

    def reduce_results(self, results: Sequence[Result]) -> float | None:
        known = [name.lower() for name in self.classes]
        found = list_pairs(results)
        return standin_confusion.measure_classes(
            known, found, self.metric_type, self.averaging, self.f_value
        )
