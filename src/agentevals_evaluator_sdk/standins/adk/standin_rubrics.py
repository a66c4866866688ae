"""Properties that an answer or a course of action must have, and how well it has them."""

from agentevals_evaluator_sdk.standins.adk import EvalBaseModel

__all__ = ["Rubric", "RubricContent", "RubricScore"]


class RubricContent(EvalBaseModel):
    """The content of a rubric."""

    text_property: str | None = None


class Rubric(EvalBaseModel):
    """One property."""

    rubric_id: str
    rubric_content: RubricContent
    description: str | None = None
    type: str | None = None


class RubricScore(EvalBaseModel):
    """The score of one property."""

    rubric_id: str
    rationale: str | None = None
    score: float | None = None
