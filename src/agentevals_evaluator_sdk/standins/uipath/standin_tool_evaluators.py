"""The evaluators that UiPath brings along for tool calls: order, number, arguments, outputs."""

from typing import Any

from agentevals_evaluator_sdk.standins.uipath import standin_tool_scores, standin_tool_spans
from agentevals_evaluator_sdk.standins.uipath.standin_contract import (
    BaseEvaluationCriteria,
    BaseEvaluatorConfig,
    BaseEvaluatorJustification,
)
from agentevals_evaluator_sdk.standins.uipath.standin_evaluator import BaseEvaluator
from agentevals_evaluator_sdk.standins.uipath.standin_results import (
    EvaluatorType,
    NumericEvaluationResult,
    ToolCall,
    ToolOutput,
)

__all__ = [
    "ToolCallArgsEvaluationCriteria", "ToolCallArgsEvaluator", "ToolCallArgsEvaluatorConfig",
    "ToolCallArgsEvaluatorJustification", "ToolCallCountEvaluationCriteria",
    "ToolCallCountEvaluator", "ToolCallCountEvaluatorConfig", "ToolCallCountEvaluatorJustification",
    "ToolCallOrderEvaluationCriteria", "ToolCallOrderEvaluator", "ToolCallOrderEvaluatorConfig",
    "ToolCallOrderEvaluatorJustification", "ToolCallOutputEvaluationCriteria",
    "ToolCallOutputEvaluator", "ToolCallOutputEvaluatorConfig",
    "ToolCallOutputEvaluatorJustification",
]  # fmt: skip


class ToolCallOrderEvaluationCriteria(BaseEvaluationCriteria):
    """The tools, in their order."""

    tool_calls_order: list[str]


class ToolCallOrderEvaluatorConfig(BaseEvaluatorConfig[ToolCallOrderEvaluationCriteria]):
    """The configuration: if `strict`, nothing else may be called."""

    name: str = "ToolCallOrderEvaluator"
    strict: bool = False


class ToolCallOrderEvaluatorJustification(BaseEvaluatorJustification):
    """The calls that came in their order."""

    lcs: list[str]


class ToolCallOrderEvaluator(
    BaseEvaluator[
        ToolCallOrderEvaluationCriteria,
        ToolCallOrderEvaluatorConfig,
        ToolCallOrderEvaluatorJustification,
    ]
):
    """The share of the expected calls that happened in their order."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.TOOL_CALL_ORDER.value

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: ToolCallOrderEvaluationCriteria
    ) -> Any:
        calls = standin_tool_spans.extract_tool_calls(
            workload_execution.workload_trace, include_args=False
        )
        wanted = evaluation_criteria.tool_calls_order
        strict = self.evaluator_config.strict
        return _build(
            self, standin_tool_scores.tool_calls_order_score_with_ids(calls, wanted, strict)
        )


class ToolCallCountEvaluationCriteria(BaseEvaluationCriteria):
    """A sign and a number for each tool."""

    tool_calls_count: dict[str, tuple[str, int]]


class ToolCallCountEvaluatorConfig(BaseEvaluatorConfig[ToolCallCountEvaluationCriteria]):
    """The configuration: if `strict`, one miss is enough for 0."""

    name: str = "ToolCallCountEvaluator"
    strict: bool = False


class ToolCallCountEvaluatorJustification(BaseEvaluatorJustification):
    """The number of calls of each tool."""

    explained_tool_calls_count: dict[str, str]


class ToolCallCountEvaluator(
    BaseEvaluator[
        ToolCallCountEvaluationCriteria,
        ToolCallCountEvaluatorConfig,
        ToolCallCountEvaluatorJustification,
    ]
):
    """The share of the counts that hold."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.TOOL_CALL_COUNT.value

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: ToolCallCountEvaluationCriteria
    ) -> Any:
        calls = standin_tool_spans.extract_tool_calls(
            workload_execution.workload_trace, include_args=False
        )
        counts = standin_tool_scores.count_tool_calls_by_name_and_id(calls)
        wanted = evaluation_criteria.tool_calls_count
        strict = self.evaluator_config.strict
        return _build(self, standin_tool_scores.tool_calls_count_score(counts, wanted, strict))


class ToolCallArgsEvaluationCriteria(BaseEvaluationCriteria):
    """The calls that are expected."""

    tool_calls: list[ToolCall]


class ToolCallArgsEvaluatorConfig(BaseEvaluatorConfig[ToolCallArgsEvaluationCriteria]):
    """The configuration: if `strict`, one miss is enough for 0."""

    name: str = "ToolCallArgsEvaluator"
    strict: bool = False
    subset: bool = False


class ToolCallArgsEvaluatorJustification(BaseEvaluatorJustification):
    """The arguments of each call."""

    explained_tool_calls_args: dict[str, str]


class ToolCallArgsEvaluator(
    BaseEvaluator[
        ToolCallArgsEvaluationCriteria,
        ToolCallArgsEvaluatorConfig,
        ToolCallArgsEvaluatorJustification,
    ]
):
    """The share of the expected calls that happened."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.TOOL_CALL_ARGS.value

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: ToolCallArgsEvaluationCriteria
    ) -> Any:
        calls = standin_tool_spans.extract_tool_calls(workload_execution.workload_trace)
        config, wanted = self.evaluator_config, evaluation_criteria.tool_calls
        scored = standin_tool_scores.tool_calls_args_score(
            calls, wanted, config.strict, config.subset
        )
        return _build(self, scored)


class ToolCallOutputEvaluationCriteria(BaseEvaluationCriteria):
    """The outputs that are expected."""

    tool_outputs: list[ToolOutput]


class ToolCallOutputEvaluatorConfig(BaseEvaluatorConfig[ToolCallOutputEvaluationCriteria]):
    """The configuration: if `strict`, one miss is enough for 0."""

    name: str = "ToolCallOutputEvaluator"
    strict: bool = False


class ToolCallOutputEvaluatorJustification(BaseEvaluatorJustification):
    """The output of each call."""

    explained_tool_calls_outputs: dict[str, str]


class ToolCallOutputEvaluator(
    BaseEvaluator[
        ToolCallOutputEvaluationCriteria,
        ToolCallOutputEvaluatorConfig,
        ToolCallOutputEvaluatorJustification,
    ]
):
    """The share of the expected outputs that a call had."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        return EvaluatorType.TOOL_CALL_OUTPUT.value

    async def evaluate(
        self, workload_execution: Any, evaluation_criteria: ToolCallOutputEvaluationCriteria
    ) -> Any:
        outputs = standin_tool_spans.extract_tool_calls_outputs(workload_execution.workload_trace)
        wanted, strict = evaluation_criteria.tool_outputs, self.evaluator_config.strict
        return _build(self, standin_tool_scores.tool_calls_output_score(outputs, wanted, strict))


def _build(evaluator: Any, scored: standin_tool_scores.Scored) -> NumericEvaluationResult:
    score, told = scored
    return NumericEvaluationResult(score=score, details=evaluator.validate_justification(told))
