"""The share of the expected values that the output has."""

from pydantic import Field
from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
from uipath.eval.models import AgentExecution, NumericEvaluationResult


class MyEvaluationCriteria(BaseEvaluationCriteria):
    """Criteria for my custom evaluator."""

    expected_values: list[str] = Field(default_factory=list)


class MyEvaluatorConfig(BaseEvaluatorConfig[MyEvaluationCriteria]):
    """Configuration for my custom evaluator."""

    name: str = "MyCustomEvaluator"
    threshold: float = 0.8
    case_sensitive: bool = False


class MyCustomEvaluator(BaseEvaluator[MyEvaluationCriteria, MyEvaluatorConfig, str]):
    """Custom evaluator with domain-specific logic."""

    async def evaluate(
        self, agent_execution: AgentExecution, evaluation_criteria: MyEvaluationCriteria
    ) -> NumericEvaluationResult:
        output, wanted = str(agent_execution.agent_output), evaluation_criteria.expected_values
        if not self.evaluator_config.case_sensitive:
            output, wanted = output.lower(), [value.lower() for value in wanted]
        there = [value for value in wanted if value in output]
        return NumericEvaluationResult(score=len(there) / len(wanted) if wanted else 1.0)

    @classmethod
    def get_evaluator_id(cls) -> str:
        return "MyCustomEvaluator"
