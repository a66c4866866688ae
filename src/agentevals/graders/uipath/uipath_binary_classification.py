"""`uipath-binary-classification`: one class was told from all others."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from agentevals.graders.uipath import classes
from agentevals.graders.uipath.classification import Classification, pairs
from agentevals.model.cases import Grade
from agentevals.model.results import Result


class BinaryClassification(Classification):
    """1 where the class is the expected one. Over all cases: precision, recall or F-score."""

    type = "uipath_binary_classification"

    positive_class: str = Field(min_length=1, description="The class that is looked for")
    metric_type: Literal["precision", "recall", "f-score"] = Field(
        default="precision", description="What all cases together are judged by"
    )

    def judge(self, wanted: Any, actual: Any) -> Grade:
        return self.told(wanted, actual)

    @property
    def reduced_by(self) -> str:
        return self.metric_type

    def reduced(self, results: Sequence[Result]) -> float | None:
        positive = self.positive_class.lower()
        return classes.binary(positive, pairs(results), self.metric_type, self.f_value)
