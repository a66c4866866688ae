"""Evaluators that look at the output of an agent, or at a part of it."""

import json
from enum import Enum
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from agentevals_evaluator_sdk.standins.uipath.standin_contract import (
    BaseEvaluationCriteria,
    BaseEvaluatorConfig,
)
from agentevals_evaluator_sdk.standins.uipath.standin_evaluator import BaseEvaluator
from agentevals_evaluator_sdk.standins.uipath.standin_paths import (
    WHOLE,
    MissingStepError,
    convert_numbers,
    follow_path,
    split_lines,
    split_path,
)
from agentevals_evaluator_sdk.standins.uipath.standin_problems import blame_user
from agentevals_evaluator_sdk.standins.uipath.standin_results import (
    AgentExecution,
    NumericEvaluationResult,
)

__all__ = [
    "AggregationMethod", "BaseOutputEvaluator", "LineByLineEvaluationDetails",
    "LineByLineEvaluationResult", "LineEvaluationDetail", "OutputEvaluationCriteria",
    "OutputEvaluator", "OutputEvaluatorConfig",
]  # fmt: skip

_NOT_IMPLEMENTED = "NOT_IMPLEMENTED"
_INVALID = "INVALID_EXPECTED_OUTPUT"
_NOT_FOUND = "TARGET_OUTPUT_KEY_NOT_FOUND"


class AggregationMethod(str, Enum):  # noqa: UP042 -- its text is what details hold
    """The way in which the scores of lines become one."""

    AVERAGE = "average"
    MAX = "max"
    MIN = "min"
    MEDIAN = "median"


class LineEvaluationDetail(BaseModel):
    """The score of one line."""

    line_number: int
    actual: str
    expected: str
    score: float | bool
    details: Any = None


class LineByLineEvaluationDetails(BaseModel):
    """The scores of all lines."""

    line_by_line_results: list[LineEvaluationDetail]
    total_lines_actual: int
    total_lines_expected: int
    aggregation_method: AggregationMethod = AggregationMethod.AVERAGE


class LineByLineEvaluationResult(BaseModel):
    """The results of all lines, by their numbers."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    line_results: list[tuple[int, Any]]
    aggregation_method: AggregationMethod = AggregationMethod.AVERAGE


class OutputEvaluationCriteria(BaseEvaluationCriteria):
    """The output that is wanted."""

    expected_output: dict[str, Any] | str = Field(alias="expectedOutput")


T = TypeVar("T", bound=BaseEvaluationCriteria)


class OutputEvaluatorConfig(BaseEvaluatorConfig[T]):
    """The part of the output that is looked at."""

    target_output_key: str | list[str] = WHOLE
    line_by_line_evaluator: bool = False
    line_delimiter: str = "\n"


C = TypeVar("C")
J = TypeVar("J")


class BaseOutputEvaluator(BaseEvaluator[T, C, J]):
    """The base of evaluators of outputs, whatever they want."""

    def _normalize_numbers(self, obj: Any) -> Any:
        return convert_numbers(obj)

    def _get_actual_output(self, workload_execution: Any) -> Any:
        return convert_numbers(self._find(workload_execution.workload_output, "actual output"))

    def _get_full_expected_output(
        self,
        evaluation_criteria: T,  # noqa: ARG002 -- theirs
    ) -> Any:
        what = f"{type(self).__name__} does not say what it expects"
        raise blame_user(_NOT_IMPLEMENTED, what)

    def _get_expected_output(self, evaluation_criteria: T) -> Any:
        whole = self._get_full_expected_output(evaluation_criteria)
        if self._key != WHOLE and isinstance(whole, str):
            try:
                whole = json.loads(whole)
            except ValueError as error:
                what = "an expected output with keys must be an object or a text in JSON"
                raise blame_user(_INVALID, f"{what}: {error}") from error
        return convert_numbers(self._find(whole, "expected output"))

    @property
    def _key(self) -> Any:
        return getattr(self.evaluator_config, "target_output_key", WHOLE)

    def _find(self, whole: Any, what: str) -> Any:
        """The part at the path, or an object of the parts at several."""
        key = self._key
        try:
            if isinstance(key, list):
                return {one: _follow(whole, one) for one in key}
            return _follow(whole, key)
        except MissingStepError as error:
            message = f"Target output key not found in {what}: {error.step!r}"
            raise blame_user(_NOT_FOUND, message) from error

    async def validate_and_evaluate_criteria(
        self, agent_execution: Any, evaluation_criteria: Any
    ) -> Any:
        """Judge by criteria as they were written, each line on its own if it is so configured."""
        config: Any = self.evaluator_config
        given = evaluation_criteria
        if given is None:
            given = config.default_evaluation_criteria
        if not config.line_by_line_evaluator or isinstance(self._key, list) or given is None:
            return await super().validate_and_evaluate_criteria(agent_execution, given)
        return await self._evaluate_lines(agent_execution, self.validate_evaluation_criteria(given))

    async def _evaluate_lines(self, execution: AgentExecution, criteria: T) -> Any:
        end = getattr(self.evaluator_config, "line_delimiter", "\n")
        sides = (self._get_actual_output(execution), self._get_expected_output(criteria))
        actual, expected = (split_lines(side, end) for side in sides)
        details, results = [], []
        for at in range(max(len(actual), len(expected))):
            found, wanted = (lines[at] if at < len(lines) else "" for lines in (actual, expected))
            result = await self._evaluate_line(execution, criteria, found, wanted)
            results.append((at + 1, result))
            details.append(
                LineEvaluationDetail(
                    line_number=at + 1,
                    actual=found,
                    expected=wanted,
                    score=result.score,
                    details=result.details,
                )
            )
        scores = [float(result.score) for _, result in results]
        return NumericEvaluationResult(
            score=sum(scores) / len(scores) if scores else 0.0,
            details=LineByLineEvaluationDetails(
                line_by_line_results=details,
                total_lines_actual=len(actual),
                total_lines_expected=len(expected),
            ),
        )

    async def _evaluate_line(
        self, execution: AgentExecution, criteria: T, found: str, wanted: str
    ) -> Any:
        key = self._key
        line = execution.model_copy(
            update={"agent_output": found if key == WHOLE else {key: found}}
        )
        fields: dict[str, Any] = dict(criteria)
        if "expected_output" in fields:
            fields["expected_output"] = wanted if key == WHOLE else {key: wanted}
        return await self.evaluate(line, type(criteria).model_validate(fields))


class OutputEvaluator(BaseOutputEvaluator[T, C, J]):
    """The base of evaluators that want an output."""

    def _get_full_expected_output(self, evaluation_criteria: Any) -> Any:
        return evaluation_criteria.expected_output


def _follow(whole: Any, path: str) -> Any:
    return whole if path == WHOLE else follow_path(whole, split_path(path))
