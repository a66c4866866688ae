"""Evaluators from before version 1.0: classes of users ask them, or name their kinds."""

import csv
import io
import json
from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from agentevals_evaluator_sdk.standins.uipath import standin_similarity
from agentevals_evaluator_sdk.standins.uipath.standin_contract import (
    BaseEvaluationCriteria,
    BaseEvaluatorConfig,
)
from agentevals_evaluator_sdk.standins.uipath.standin_evaluator import track_evaluation_metrics
from agentevals_evaluator_sdk.standins.uipath.standin_kinds import (
    LegacyEvaluatorCategory,
    LegacyEvaluatorType,
)
from agentevals_evaluator_sdk.standins.uipath.standin_paths import (
    WHOLE,
    MissingStepError,
    convert_numbers,
    follow_path,
    split_path,
)
from agentevals_evaluator_sdk.standins.uipath.standin_results import (
    BooleanEvaluationResult,
    NumericEvaluationResult,
)

__all__ = [
    "BaseLegacyEvaluator", "LegacyCSVExactMatchEvaluator", "LegacyContextPrecisionEvaluator",
    "LegacyEvaluationCriteria", "LegacyEvaluatorConfig", "LegacyExactMatchEvaluator",
    "LegacyFaithfulnessEvaluator", "LegacyJsonSimilarityEvaluator", "LegacyLlmAsAJudgeEvaluator",
    "LegacyTrajectoryEvaluator",
]  # fmt: skip

_PERCENT = 100.0


class LegacyEvaluatorConfig(BaseEvaluatorConfig[BaseEvaluationCriteria]):
    """A configuration, which has only a name."""

    name: str = "LegacyEvaluator"


class LegacyEvaluationCriteria(BaseEvaluationCriteria):
    """The output and the behaviour that are wanted."""

    expected_output: Any = Field(alias="expectedOutput")
    expected_agent_behavior: str = Field(alias="expectedAgentBehavior")


T = TypeVar("T")


class BaseLegacyEvaluator(BaseModel, Generic[T], ABC):
    """The base of all of them."""

    model_config = ConfigDict(
        arbitrary_types_allowed=True, alias_generator=to_camel, populate_by_name=True
    )

    id: str
    name: str = ""
    description: str = ""
    category: LegacyEvaluatorCategory
    type: LegacyEvaluatorType
    file_name: str = ""
    target_output_key: str = WHOLE
    created_at: str
    updated_at: str
    line_by_line_evaluation: bool = False
    line_delimiter: str = "\n"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not getattr(cls.evaluate, "__isabstractmethod__", False):
            cls.evaluate = track_evaluation_metrics(cls.evaluate)  # type: ignore[method-assign]

    @classmethod
    def get_evaluator_id(cls) -> str:
        """Return what takes the place of an id."""
        return "legacy-evaluator"

    async def validate_and_evaluate_criteria(
        self, workload_execution: Any, evaluation_criteria: Any
    ) -> Any:
        """Judge by criteria as they were written."""
        if not isinstance(evaluation_criteria, LegacyEvaluationCriteria):
            evaluation_criteria = LegacyEvaluationCriteria.model_validate(evaluation_criteria)
        return await self.evaluate(workload_execution, evaluation_criteria)

    @abstractmethod
    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: LegacyEvaluationCriteria
    ) -> Any:
        """Judge one execution."""

    def _find(self, whole: Any, missing: Any) -> Any:
        """The part at the path, or something else if there is none."""
        if self.target_output_key in {"", WHOLE}:
            return whole
        try:
            return follow_path(whole, split_path(self.target_output_key))
        except MissingStepError:
            return missing


class LegacyExactMatchEvaluator(BaseLegacyEvaluator[LegacyEvaluatorConfig]):
    """Tests that both are the same JSON. Where one side lacks the path, both are empty."""

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: LegacyEvaluationCriteria
    ) -> Any:
        sides = [workload_execution.workload_output, evaluation_criteria.expected_output]
        if all(isinstance(side, dict) for side in sides):
            missing = object()
            found = [self._find(side, missing) for side in sides]
            sides = [{}, {}] if missing in found else found
        one, other = (json.dumps(convert_numbers(side), sort_keys=True) for side in sides)
        return BooleanEvaluationResult(score=one == other)


class LegacyJsonSimilarityEvaluator(BaseLegacyEvaluator[LegacyEvaluatorConfig]):
    """The share of the expected leaves that the output has, of 100."""

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: LegacyEvaluationCriteria
    ) -> Any:
        expected = self._find(evaluation_criteria.expected_output, {})
        leaves = standin_similarity.compare(
            expected, self._find(workload_execution.workload_output, {})
        )
        return NumericEvaluationResult(score=leaves.share * _PERCENT)


class LegacyCSVExactMatchEvaluator(BaseLegacyEvaluator[LegacyEvaluatorConfig]):
    """Tests that the first row has the same cells in the named columns."""

    target_sub_output_key: str

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: LegacyEvaluationCriteria
    ) -> Any:
        sides = (workload_execution.workload_output, evaluation_criteria.expected_output)
        one, other = (self._read_row(self._find(side, side)) for side in sides)
        return BooleanEvaluationResult(score=one == other)

    def _read_row(self, table: Any) -> list[str]:
        text = table.get("content", json.dumps(table)) if isinstance(table, dict) else str(table)
        reader = csv.DictReader(io.StringIO(text))
        known = {name.lower(): name for name in reader.fieldnames or ()}
        wanted = [name.strip() for name in self.target_sub_output_key.split(",") if name.strip()]
        if missing := [name for name in wanted if name.lower() not in known]:
            msg = f"Missing columns: {', '.join(missing)}"
            raise ValueError(msg)
        row = next(reader, None)
        if row is None:
            msg = "CSV must contain one data row"
            raise ValueError(msg)
        return [(row.get(known[name.lower()]) or "").strip() for name in wanted]


class _Asking(BaseLegacyEvaluator[LegacyEvaluatorConfig]):
    prompt: str = ""
    model: str = "same-as-agent"

    async def evaluate(
        self,
        workload_execution: Any,  # noqa: ARG002 -- theirs
        evaluation_criteria: LegacyEvaluationCriteria,  # noqa: ARG002
    ) -> Any:
        msg = "no model can be asked from a class here; name the evaluator in the eval set"
        raise ValueError(msg)


class LegacyLlmAsAJudgeEvaluator(_Asking):
    """Has a model judge the output."""


class LegacyTrajectoryEvaluator(_Asking):
    """Has a model judge the course."""


class LegacyContextPrecisionEvaluator(_Asking):
    """Has a model judge what was retrieved."""


class LegacyFaithfulnessEvaluator(_Asking):
    """Has a model judge whether the answer is grounded."""
