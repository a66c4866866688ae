"""Instructions for a simulated user."""

from typing import Any

from agentevals_evaluator_sdk.standins.adk import EvalBaseModel

__all__ = ["ConversationScenario", "ConversationScenarios"]


class ConversationScenario(EvalBaseModel):
    """The start of a conversation, and its goal."""

    starting_prompt: str
    conversation_plan: str
    user_persona: Any = None


class ConversationScenarios(EvalBaseModel):
    """Several of them."""

    scenarios: list[ConversationScenario] = []
