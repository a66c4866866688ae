"""Two metrics: one that compares, and one that asks something that takes a while."""

import asyncio
import statistics

from google.adk.evaluation.conversation_scenarios import ConversationScenario
from google.adk.evaluation.eval_case import Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


def text_of(invocation: Invocation) -> str:
    return "".join([part.text for part in invocation.final_response.parts])


def status_of(*, met: bool) -> EvalStatus:
    return EvalStatus.PASSED if met else EvalStatus.FAILED


def check_final_response_exact_match(
    eval_metric: EvalMetric,
    actual_invocations: list[Invocation],
    expected_invocations: list[Invocation] | None,
    conversation_scenario: ConversationScenario | None,
) -> EvaluationResult:
    if not expected_invocations:
        return EvaluationResult(overall_score=0.0, overall_eval_status=EvalStatus.NOT_EVALUATED)
    results = []
    for actual, expected in zip(actual_invocations, expected_invocations, strict=False):
        same = text_of(actual) == text_of(expected)
        results.append(
            PerInvocationResult(
                actual_invocation=actual,
                expected_invocation=expected,
                score=float(same),
                eval_status=status_of(met=same),
            )
        )
    return overall(eval_metric, results)


class ProfanityChecker:
    async def check(self, text: str) -> bool:
        await asyncio.sleep(0)
        return "profanity" in text.lower()


profanity_checker = ProfanityChecker()


async def check_for_profanity(
    eval_metric: EvalMetric,
    actual_invocations: list[Invocation],
    expected_invocations: list[Invocation] | None,
    conversation_scenario: ConversationScenario | None,
) -> EvaluationResult:
    results = []
    for invocation in actual_invocations:
        found = await profanity_checker.check(text_of(invocation))
        results.append(
            PerInvocationResult(
                actual_invocation=invocation,
                score=float(not found),
                eval_status=status_of(met=not found),
            )
        )
    return overall(eval_metric, results)


def overall(eval_metric: EvalMetric, results: list[PerInvocationResult]) -> EvaluationResult:
    score = statistics.mean(result.score for result in results)
    return EvaluationResult(
        overall_score=score,
        overall_eval_status=status_of(met=score >= eval_metric.criterion.threshold),
        per_invocation_results=results,
    )
