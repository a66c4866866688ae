"""Which items an agent shipped: checks in steps, shared extraction, details, and errors."""

import json

from pydantic import Field
from uipath.eval._helpers.evaluators_helpers import (
    extract_tool_calls,
    extract_tool_calls_names,
    extract_tool_calls_outputs,
    trace_to_str,
)
from uipath.eval.evaluators import BaseEvaluator
from uipath.eval.evaluators.base_evaluator import (
    BaseEvaluationCriteria,
    BaseEvaluatorConfig,
)
from uipath.eval.models import (
    AgentExecution,
    BooleanEvaluationResult,
    ErrorEvaluationResult,
    EvaluationResult,
    NumericEvaluationResult,
)


class ShippedCriteria(BaseEvaluationCriteria):
    """Which items a case has to ship."""

    items: list[str] = Field(default_factory=list)


class ShippedConfig(BaseEvaluatorConfig[ShippedCriteria]):
    """How strictly they are looked for."""

    name: str = "ShippedItems"
    threshold: float = 0.5
    strict: bool = False


class ShippedItems(BaseEvaluator[ShippedCriteria, ShippedConfig, type(None)]):
    """The share of the items that were shipped."""

    async def evaluate(
        self, agent_execution: AgentExecution, evaluation_criteria: ShippedCriteria
    ) -> EvaluationResult:
        """Checks what was done, then what it was done with."""
        try:
            if self.evaluator_config.strict and not self._is_sound(agent_execution):
                return BooleanEvaluationResult(score=False, details="nothing came back")
            return self._compared(agent_execution, evaluation_criteria)
        except LookupError as error:
            return ErrorEvaluationResult(error=f"Evaluation failed: {error}")

    def _compared(
        self, agent_execution: AgentExecution, criteria: ShippedCriteria
    ) -> NumericEvaluationResult:
        expected, actual = set(criteria.items), set(self._shipped(agent_execution))
        score = len(expected & actual) / len(expected) if expected else float(not actual)
        return NumericEvaluationResult(
            score=score,
            details=json.dumps(
                {
                    "matches": sorted(expected & actual),
                    "missing": sorted(expected - actual),
                    "extra": sorted(actual - expected),
                    "passed": score >= self.evaluator_config.threshold,
                }
            ),
        )

    def _is_sound(self, agent_execution: AgentExecution) -> bool:
        outputs = extract_tool_calls_outputs(agent_execution.agent_trace)
        return all(found.output for found in outputs)

    def _shipped(self, agent_execution: AgentExecution) -> list[str]:
        names = extract_tool_calls_names(agent_execution.agent_trace)
        if "ship" not in names:
            raise LookupError("no tool call named 'ship' in " + trace_to_str([]) + str(names))
        calls = extract_tool_calls(agent_execution.agent_trace)
        return [str((call.args or {}).get("item", "")) for call in calls if call.name == "ship"]

    @classmethod
    def get_evaluator_id(cls) -> str:
        return "ShippedItems"
