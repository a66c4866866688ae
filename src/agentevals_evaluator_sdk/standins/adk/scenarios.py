"""What a simulated user is told to do."""

from typing import Any

from agentevals_evaluator_sdk.standins.adk.base import EvalBaseModel

__all__ = ["ConversationScenario", "ConversationScenarios"]


class ConversationScenario(EvalBaseModel):
    """How a conversation begins, and where it is to lead."""

    starting_prompt: str
    conversation_plan: str
    user_persona: Any = None


class ConversationScenarios(EvalBaseModel):
    """Several of them."""

    scenarios: list[ConversationScenario] = []
