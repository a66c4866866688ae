"""How far the patterns that a tool was given are the expected ones."""

import json

from pydantic import Field
from uipath.eval._helpers.evaluators_helpers import extract_tool_calls
from uipath.eval.evaluators import BaseEvaluator
from uipath.eval.evaluators.base_evaluator import BaseEvaluationCriteria, BaseEvaluatorConfig
from uipath.eval.models import AgentExecution, EvaluationResult, NumericEvaluationResult


def jaccard(expected: list[str], actual: list[str]) -> float:
    both, either = set(expected) & set(actual), set(expected) | set(actual)
    return len(both) / len(either) if either else 1.0


class PatternEvaluatorCriteria(BaseEvaluationCriteria):
    """Evaluation criteria for pattern evaluator."""

    expected_output: list[str] = Field(default_factory=list)


class PatternEvaluatorConfig(BaseEvaluatorConfig[PatternEvaluatorCriteria]):
    """Configuration for pattern evaluator."""

    name: str = "PatternComparisonEvaluator"


class PatternComparisonEvaluator(
    BaseEvaluator[PatternEvaluatorCriteria, PatternEvaluatorConfig, str]
):
    """Custom evaluator for pattern comparison."""

    async def evaluate(
        self, agent_execution: AgentExecution, evaluation_criteria: PatternEvaluatorCriteria
    ) -> EvaluationResult:
        expected = evaluation_criteria.expected_output
        actual = self._patterns(agent_execution)
        return NumericEvaluationResult(
            score=jaccard(expected, actual),
            details=json.dumps(
                {
                    "expected_patterns": expected,
                    "actual_patterns": actual,
                    "matching_count": len(set(expected) & set(actual)),
                    "expected_count": len(expected),
                    "actual_count": len(actual),
                }
            ),
        )

    def _patterns(self, agent_execution: AgentExecution) -> list[str]:
        """The lines below the header of the first file of patterns that is not empty."""
        for call in extract_tool_calls(agent_execution.agent_trace):
            args = call.args or {}
            written = str(args.get("InputData", ""))
            named = str(args.get("FileName", "")).startswith("PatternData")
            if call.name == "DataProcessingTool" and named and written:
                return [line.strip() for line in written.split("\n")[1:] if line.strip()]
        return []

    @classmethod
    def get_evaluator_id(cls) -> str:
        return "PatternComparisonEvaluator"
