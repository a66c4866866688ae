"""The evaluators that UiPath brings along for classes: one told from the others, or several."""

from collections.abc import Sequence
from typing import Any, Literal

from agentevals_evaluator_sdk.standins.uipath import standin_confusion
from agentevals_evaluator_sdk.standins.uipath.standin_contract import (
    BaseEvaluationCriteria,
    BaseEvaluatorJustification,
)
from agentevals_evaluator_sdk.standins.uipath.standin_outputs import (
    BaseOutputEvaluator,
    OutputEvaluatorConfig,
)
from agentevals_evaluator_sdk.standins.uipath.standin_problems import blame_user
from agentevals_evaluator_sdk.standins.uipath.standin_results import (
    EvaluationResultDto,
    EvaluatorType,
    NumericEvaluationResult,
)

__all__ = [
    "BinaryClassificationEvaluationCriteria", "BinaryClassificationEvaluator",
    "BinaryClassificationEvaluatorConfig", "MulticlassClassificationEvaluationCriteria",
    "MulticlassClassificationEvaluator", "MulticlassClassificationEvaluatorConfig",
]  # fmt: skip

_NO_CLASS = "INVALID_POSITIVE_CLASS"

Metric = Literal["precision", "recall", "f-score"]


class BinaryClassificationEvaluationCriteria(BaseEvaluationCriteria):
    """The class that is wanted."""

    expected_class: str


class BinaryClassificationEvaluatorConfig(
    OutputEvaluatorConfig[BinaryClassificationEvaluationCriteria]
):
    """The class that is looked for, and what all cases are judged by."""

    name: str = "BinaryClassificationEvaluator"
    positive_class: str
    metric_type: Metric = "precision"
    f_value: float = 1.0


class BinaryClassificationEvaluator(
    BaseOutputEvaluator[
        BinaryClassificationEvaluationCriteria,
        BinaryClassificationEvaluatorConfig,
        BaseEvaluatorJustification,
    ]
):
    """1 where the class is the expected one."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.BINARY_CLASSIFICATION.value

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: BinaryClassificationEvaluationCriteria
    ) -> Any:
        if not self.evaluator_config.positive_class:
            what = "positive_class must be a non-empty string"
            raise blame_user(_NO_CLASS, what)
        actual = str(self._get_actual_output(workload_execution)).lower()
        return _judge(self, actual, evaluation_criteria.expected_class.lower())

    def reduce_scores(self, results: Sequence[EvaluationResultDto]) -> float:
        config = self.evaluator_config
        positive, pairs = config.positive_class.lower(), _list_pairs(results)
        return standin_confusion.measure_one_class(
            positive, pairs, config.metric_type, config.f_value
        )


class MulticlassClassificationEvaluationCriteria(BaseEvaluationCriteria):
    """The class that is wanted."""

    expected_class: str


class MulticlassClassificationEvaluatorConfig(
    OutputEvaluatorConfig[MulticlassClassificationEvaluationCriteria]
):
    """The classes that there are, and what all cases are judged by."""

    name: str = "MulticlassClassificationEvaluator"
    classes: list[str]
    metric_type: Metric = "f-score"
    averaging: Literal["micro", "macro"] = "macro"
    f_value: float = 1.0


class MulticlassClassificationEvaluator(
    BaseOutputEvaluator[
        MulticlassClassificationEvaluationCriteria,
        MulticlassClassificationEvaluatorConfig,
        BaseEvaluatorJustification,
    ]
):
    """1 where the class is the expected one. A label that is none of the classes is an error."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.MULTICLASS_CLASSIFICATION.value

    async def evaluate(
        self,
        workload_execution: Any,
        evaluation_criteria: MulticlassClassificationEvaluationCriteria,
    ) -> Any:
        actual = str(self._get_actual_output(workload_execution)).lower()
        expected = evaluation_criteria.expected_class.lower()
        known = self._classes
        for what, label in (("Expected", expected), ("Predicted", actual)):
            code = f"INVALID_{what.upper()}_CLASS"
            if label not in known:
                message = f"{what} class {label!r} is not in the configured classes: {known}"
                raise blame_user(code, message)
        return _judge(self, actual, expected)

    def reduce_scores(self, results: Sequence[EvaluationResultDto]) -> float:
        config = self.evaluator_config
        return standin_confusion.measure_classes(
            self._classes,
            _list_pairs(results),
            config.metric_type,
            config.averaging,
            config.f_value,
        )

    @property
    def _classes(self) -> list[str]:
        return [name.lower() for name in self.evaluator_config.classes]


def _judge(evaluator: Any, actual: str, expected: str) -> NumericEvaluationResult:
    told = evaluator.validate_justification({"expected": expected, "actual": actual})
    return NumericEvaluationResult(score=float(actual == expected), details=told)


def _list_pairs(results: Sequence[EvaluationResultDto]) -> list[standin_confusion.Pair]:
    told = [BaseEvaluatorJustification.try_from(result.details) for result in results]
    return [(one.actual, one.expected) for one in told if one is not None]
