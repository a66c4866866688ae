"""The result of a metric for a case, and for each of its turns."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from agentevals_evaluator_sdk.standins.adk.standin_cases import Invocation
from agentevals_evaluator_sdk.standins.adk.standin_metrics import (
    BaseCriterion,
    DurationDetails,
    EvalStatus,
    TokenUsageDetails,
)
from agentevals_evaluator_sdk.standins.adk.standin_rubrics import RubricScore
from agentevals_evaluator_sdk.standins.adk.standin_scenarios import ConversationScenario

__all__ = [
    "BaseCriterion", "ConversationScenario", "EvalStatus", "EvaluationResult", "Evaluator",
    "Invocation", "PerInvocationResult", "RubricScore",
]  # fmt: skip


class PerInvocationResult(BaseModel):
    """The result of a metric for one turn."""

    model_config = ConfigDict(defer_build=True)

    actual_invocation: Invocation
    expected_invocation: Invocation | None = None
    score: float | None = None
    eval_status: EvalStatus = EvalStatus.NOT_EVALUATED
    rubric_scores: list[RubricScore] | None = None
    token_usage_details: TokenUsageDetails | None = None
    duration_details: DurationDetails | None = None


class EvaluationResult(BaseModel):
    """The result of a metric for a case."""

    model_config = ConfigDict(defer_build=True)

    overall_score: float | None = None
    overall_eval_status: EvalStatus = EvalStatus.NOT_EVALUATED
    per_invocation_results: list[PerInvocationResult] = []
    overall_rubric_scores: list[RubricScore] | None = None
    overall_token_usage_details: TokenUsageDetails | None = None
    overall_duration_details: DurationDetails | None = None


class Evaluator(ABC):
    """A metric that is a class."""

    criterion_type: ClassVar[type[BaseCriterion]] = BaseCriterion

    @abstractmethod
    def evaluate_invocations(
        self,
        actual_invocations: list[Invocation],
        expected_invocations: list[Invocation] | None = None,
        conversation_scenario: ConversationScenario | None = None,
    ) -> EvaluationResult | Awaitable[EvaluationResult]:
        """Judge the turns of a case."""
