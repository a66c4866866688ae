"""Replacement for what metrics import of ADK to ask models, or to run agents.

Neither can be done without the real package; its texts and statuses are here.
"""

import statistics
from collections.abc import Sequence
from typing import Any, NoReturn

from agentevals_evaluator_sdk.standins.adk import EvalBaseModel
from agentevals_evaluator_sdk.standins.adk.standin_cases import Invocation, InvocationEvents
from agentevals_evaluator_sdk.standins.adk.standin_contents import Content, Part
from agentevals_evaluator_sdk.standins.adk.standin_metrics import EvalStatus
from agentevals_evaluator_sdk.standins.adk.standin_rubrics import RubricScore

__all__ = [
    "AgentEvaluator", "AutoRaterScore", "LlmAsJudge", "get_average_rubric_score",
    "get_eval_status", "get_text_from_content",
]  # fmt: skip

_MISSING = "list google-adk in a requirements.txt beside the metric: what replaces it"


class AutoRaterScore(EvalBaseModel):
    """The score that an answer of a model comes to."""

    score: float | None = None
    rubric_scores: list[RubricScore] | None = None


class LlmAsJudge:
    """Base of metrics that ask a model. It can be derived from, and not be made."""

    def __init__(self, *_: Any, **__: Any) -> None:
        msg = f"{_MISSING} asks no model"
        raise NotImplementedError(msg)


class AgentEvaluator:
    """Runs an agent and judges it in one go, which only the real one can."""

    @staticmethod
    async def evaluate(*_: Any, **__: Any) -> NoReturn:
        msg = f"{_MISSING} runs no agent"
        raise NotImplementedError(msg)

    evaluate_eval_set = evaluate


def get_text_from_content(
    content: Content | Invocation | None, *, include_intermediate_responses_in_final: bool = False
) -> str | None:
    """Return the text of a message, or of a turn; None if nothing was said."""
    if not isinstance(content, Invocation):
        parts = (content.parts if content else None) or []
        return "\n".join(part.text for part in parts if part.text) if parts else None
    final = get_text_from_content(content.final_response)
    if not include_intermediate_responses_in_final:
        return final
    said = [get_text_from_content(Content(parts=parts)) for parts in _list_steps(content)]
    return "\n".join(text for text in (*said, final) if text) or None


def _list_steps(turn: Invocation) -> Sequence[list[Part] | None]:
    data = turn.intermediate_data
    if isinstance(data, InvocationEvents):
        said = [event.content for event in data.invocation_events]
        return [content.parts if content else None for content in said]
    return [parts for _, parts in data.intermediate_responses] if data else []


def get_eval_status(score: float | None, threshold: float) -> EvalStatus:
    """Return how a metric with this score ends."""
    if score is None:
        return EvalStatus.NOT_EVALUATED
    return EvalStatus.PASSED if score >= threshold else EvalStatus.FAILED


def get_average_rubric_score(rubric_scores: list[RubricScore]) -> float | None:
    """Return the mean of the scores that there are."""
    known = [rubric.score for rubric in rubric_scores if rubric.score is not None]
    return statistics.mean(known) if known else None
