"""The text of a new class."""

EVALUATOR = '''"""TODO: describe what {evaluator} judges."""

import json

from uipath.eval.evaluators import BaseEvaluationCriteria, BaseEvaluator, BaseEvaluatorConfig
from uipath.eval.models import AgentExecution, EvaluationResult, NumericEvaluationResult


class {criteria}(BaseEvaluationCriteria):
    """What one case is judged by."""

    expected_words: list[str] = []


class {config}(BaseEvaluatorConfig[{criteria}]):
    """How it judges, whatever the case."""

    name: str = "{evaluator}"
    case_sensitive: bool = False


class {evaluator}(BaseEvaluator[{criteria}, {config}, str]):
    """Replace this: the share of the expected words that occur in the agent's output."""

    @classmethod
    def get_evaluator_id(cls) -> str:
        """No other evaluator has this id."""
        return "{evaluator}"

    async def evaluate(
        self, agent_execution: AgentExecution, evaluation_criteria: {criteria}
    ) -> EvaluationResult:
        """Judge one run of the agent."""
        output = json.dumps(agent_execution.agent_output, ensure_ascii=False)
        words = evaluation_criteria.expected_words
        if not self.evaluator_config.case_sensitive:
            output, words = output.lower(), [word.lower() for word in words]
        missing = [word for word in words if word not in output]
        score = 1 - len(missing) / len(words) if words else 1.0
        return NumericEvaluationResult(score=score, details=json.dumps({{"missing": missing}}))
'''
