"""`uipath-multiclass-classification`: several classes were told apart."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from agentevals.graders.uipath import classes
from agentevals.graders.uipath.classes import Classes
from agentevals.graders.uipath.classification import Classification, pairs
from agentevals.graders.uipath.sentences import shown
from agentevals.model.cases import Grade
from agentevals.model.errors import EvaluatorError
from agentevals.model.results import Result


class MulticlassClassification(Classification):
    """1 where the class is the expected one. Over all cases: precision, recall or F-score."""

    type = "uipath_multiclass_classification"

    classes: Classes = Field(min_length=1, description="The classes that there are")
    metric_type: Literal["precision", "recall", "f-score"] = Field(
        default="f-score", description="What all cases together are judged by"
    )
    averaging: Literal["macro", "micro"] = Field(
        default="macro", description="Whether classes count alike, or cases"
    )

    def judge(self, wanted: Any, actual: Any) -> Grade:
        known = [name.lower() for name in self.classes]
        for what, given in (("expected", wanted), ("predicted", actual)):
            if str(given).lower() not in known:
                listed = ", ".join(known)[:200]
                msg = f"the {what} class {shown(str(given))} is none of the 'classes' ({listed})"
                raise EvaluatorError(msg)
        return self.told(wanted, actual)

    @property
    def reduced_by(self) -> str:
        return self.metric_type

    def reduced(self, results: Sequence[Result]) -> float | None:
        known = [name.lower() for name in self.classes]
        found = pairs(results)
        return classes.multiclass(known, found, self.metric_type, self.averaging, self.f_value)
