"""TODO: describe what ShippedEvaluator judges."""

import json

from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
from uipath.eval.models import AgentExecution, EvaluationResult, NumericEvaluationResult


class ShippedEvaluationCriteria(BaseEvaluationCriteria):
    """What one case is judged by."""

    expected_words: list[str] = []


class ShippedEvaluatorConfig(BaseEvaluatorConfig[ShippedEvaluationCriteria]):
    """How it judges, whatever the case."""

    name: str = "ShippedEvaluator"
    case_sensitive: bool = False


class ShippedEvaluator(BaseEvaluator[ShippedEvaluationCriteria, ShippedEvaluatorConfig, str]):
    """Replace this: the share of the expected words that occur in the agent's output."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        """No other evaluator has this id."""
        return "ShippedEvaluator"

    async def evaluate(
        self, agent_execution: AgentExecution, evaluation_criteria: ShippedEvaluationCriteria
    ) -> EvaluationResult:
        """Judge one run of the agent."""
        output = json.dumps(agent_execution.agent_output, ensure_ascii=False)
        words = evaluation_criteria.expected_words
        if not self.evaluator_config.case_sensitive:
            output, words = output.lower(), [word.lower() for word in words]
        missing = [word for word in words if word not in output]
        score = 1 - len(missing) / len(words) if words else 1.0
        return NumericEvaluationResult(score=score, details=json.dumps({"missing": missing}))
