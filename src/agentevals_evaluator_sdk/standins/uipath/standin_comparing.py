"""The evaluators that UiPath brings along for outputs: exact match, contains, JSON similarity."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from agentevals_evaluator_sdk.standins.uipath import standin_similarity
from agentevals_evaluator_sdk.standins.uipath.standin_contract import (
    BaseEvaluationCriteria,
    BaseEvaluatorJustification,
)
from agentevals_evaluator_sdk.standins.uipath.standin_outputs import (
    BaseOutputEvaluator,
    OutputEvaluationCriteria,
    OutputEvaluator,
    OutputEvaluatorConfig,
)
from agentevals_evaluator_sdk.standins.uipath.standin_results import (
    EvaluatorType,
    NumericEvaluationResult,
)

__all__ = [
    "ContainsEvaluationCriteria", "ContainsEvaluator", "ContainsEvaluatorConfig",
    "ExactMatchEvaluator", "ExactMatchEvaluatorConfig", "JsonSimilarityEvaluator",
    "JsonSimilarityEvaluatorConfig", "JsonSimilarityJustification",
]  # fmt: skip


class Aggregator(BaseModel):
    """A number for all cases, which here the eval set computes."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    type: Literal["precision", "recall", "fscore", "confusion_matrix"]
    averaging: Literal["macro", "micro"] = "macro"
    f_value: float = Field(default=1.0, gt=0, le=1000)


class ExactMatchEvaluatorConfig(OutputEvaluatorConfig[OutputEvaluationCriteria]):
    """The configuration of an exact match."""

    name: str = "ExactMatchEvaluator"
    case_sensitive: bool = False
    negated: bool = False
    classes: list[str] | None = None
    aggregators: list[Aggregator] | None = None


class ExactMatchEvaluator(
    OutputEvaluator[OutputEvaluationCriteria, ExactMatchEvaluatorConfig, BaseEvaluatorJustification]
):
    """1 where the output is the expected one; as texts, as soon as one side is a text."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.EXACT_MATCH.value

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: OutputEvaluationCriteria
    ) -> Any:
        actual = self._get_actual_output(workload_execution)
        expected = self._get_expected_output(evaluation_criteria)
        equal = actual == expected
        if isinstance(actual, str) or isinstance(expected, str):
            equal = _fold(self, actual) == _fold(self, expected)
        return NumericEvaluationResult(
            score=float(equal is not self.evaluator_config.negated),
            details=self.validate_justification({"expected": str(expected), "actual": str(actual)}),
        )


class ContainsEvaluationCriteria(BaseEvaluationCriteria):
    """The text that is searched for."""

    search_text: str


class ContainsEvaluatorConfig(OutputEvaluatorConfig[ContainsEvaluationCriteria]):
    """The configuration of a search."""

    name: str = "ContainsEvaluator"
    case_sensitive: bool = False
    negated: bool = False


class ContainsEvaluator(
    BaseOutputEvaluator[
        ContainsEvaluationCriteria, ContainsEvaluatorConfig, BaseEvaluatorJustification
    ]
):
    """1 where the text occurs in the output."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.CONTAINS.value

    def _get_expected_output(self, evaluation_criteria: ContainsEvaluationCriteria) -> Any:
        return evaluation_criteria.search_text

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: ContainsEvaluationCriteria
    ) -> Any:
        actual = _fold(self, self._get_actual_output(workload_execution))
        expected = _fold(self, self._get_expected_output(evaluation_criteria))
        return NumericEvaluationResult(
            score=float((expected in actual) is not self.evaluator_config.negated),
            details=self.validate_justification({"expected": expected, "actual": actual}),
        )


def _fold(evaluator: Any, value: Any) -> str:
    return str(value) if evaluator.evaluator_config.case_sensitive else str(value).lower()


class JsonSimilarityJustification(BaseEvaluatorJustification):
    """The number of expected leaves, and of those that were matched."""

    matched_leaves: float
    total_leaves: float


class JsonSimilarityEvaluatorConfig(OutputEvaluatorConfig[OutputEvaluationCriteria]):
    """The configuration of a similarity."""

    name: str = "JsonSimilarityEvaluator"


class JsonSimilarityEvaluator(
    OutputEvaluator[
        OutputEvaluationCriteria, JsonSimilarityEvaluatorConfig, JsonSimilarityJustification
    ]
):
    """The share of the expected leaves that the output has."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.JSON_SIMILARITY.value

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: OutputEvaluationCriteria
    ) -> Any:
        expected = self._get_expected_output(evaluation_criteria)
        actual = self._get_actual_output(workload_execution)
        leaves = standin_similarity.compare(expected, actual)
        told = {
            "expected": str(expected),
            "actual": str(actual),
            "matched_leaves": leaves.matched,
            "total_leaves": leaves.total,
        }
        return NumericEvaluationResult(
            score=leaves.share, details=self.validate_justification(told)
        )
