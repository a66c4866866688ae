"""Replacement for `google.adk.evaluation.trajectory_evaluator`: tool calls beside the expected."""

from collections.abc import Sequence
from typing import ClassVar

from agentevals_evaluator_sdk.standins.adk.standin_cases import (
    ConversationScenario,
    Invocation,
    get_all_tool_calls,
)
from agentevals_evaluator_sdk.standins.adk.standin_contents import FunctionCall
from agentevals_evaluator_sdk.standins.adk.standin_metrics import (
    EvalMetric,
    EvalStatus,
    ToolTrajectoryCriterion,
)
from agentevals_evaluator_sdk.standins.adk.standin_results import (
    EvaluationResult,
    Evaluator,
    PerInvocationResult,
)

__all__ = [
    "ConversationScenario", "EvalMetric", "EvalStatus", "EvaluationResult", "Evaluator",
    "Invocation", "PerInvocationResult", "ToolTrajectoryCriterion", "TrajectoryEvaluator",
    "get_all_tool_calls",
]  # fmt: skip


class TrajectoryEvaluator(Evaluator):
    """1 for each turn with the expected calls, 0 for the others; the score is the mean."""

    criterion_type: ClassVar = ToolTrajectoryCriterion

    def __init__(
        self, threshold: float | None = None, eval_metric: EvalMetric | None = None
    ) -> None:
        if (threshold is None) == (eval_metric is None):
            msg = "Either eval_metric should be specified or threshold should be specified."
            raise ValueError(msg)
        given = {"threshold": threshold}
        if eval_metric and eval_metric.criterion:
            given = eval_metric.criterion.model_dump()
        elif eval_metric:
            given = {"threshold": eval_metric.threshold}
        self._criterion = ToolTrajectoryCriterion.model_validate(given)

    def evaluate_invocations(
        self,
        actual_invocations: list[Invocation],
        expected_invocations: list[Invocation] | None = None,
        conversation_scenario: ConversationScenario | None = None,  # noqa: ARG002 -- as ADK has it
    ) -> EvaluationResult:
        """Compare the calls turn by turn."""
        if expected_invocations is None:
            msg = "expected_invocations is needed by this metric."
            raise ValueError(msg)
        if len(actual_invocations) != len(expected_invocations):
            msg = "actual_invocations and expected_invocations must have the same length"
            raise ValueError(msg)
        turns = [
            PerInvocationResult(
                actual_invocation=actual,
                expected_invocation=expected,
                score=(score := float(self._matches(actual, expected))),
                eval_status=self._decide(score),
            )
            for actual, expected in zip(actual_invocations, expected_invocations, strict=True)
        ]
        if not turns:
            return EvaluationResult()
        mean = sum(turn.score or 0.0 for turn in turns) / len(turns)
        return EvaluationResult(
            overall_score=mean,
            overall_eval_status=self._decide(mean),
            per_invocation_results=turns,
        )

    def _decide(self, score: float) -> EvalStatus:
        return EvalStatus.PASSED if score >= self._criterion.threshold else EvalStatus.FAILED

    def _matches(self, actual: Invocation, expected: Invocation) -> bool:
        found = get_all_tool_calls(actual.intermediate_data)
        wanted = get_all_tool_calls(expected.intermediate_data)
        kind = ToolTrajectoryCriterion.MatchType
        if self._criterion.match_type is kind.EXACT and len(found) != len(wanted):
            return False
        if self._criterion.match_type is kind.ANY_ORDER:
            return self._holds_all(found, wanted)
        left = iter(found)
        return all(any(self._agree(call, each) for each in left) for call in wanted)

    def _holds_all(self, found: Sequence[FunctionCall], wanted: Sequence[FunctionCall]) -> bool:
        left = list(found)
        for call in wanted:
            at = next((n for n, each in enumerate(left) if self._agree(call, each)), None)
            if at is None:
                return False
            del left[at]
        return True

    def _agree(self, wanted: FunctionCall, found: FunctionCall) -> bool:
        same_args = self._criterion.ignore_args or wanted.args == found.args
        return wanted.name == found.name and same_args
