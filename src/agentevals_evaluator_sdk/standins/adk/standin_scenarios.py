"""Instructions for a simulated user."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, field_validator

from agentevals_evaluator_sdk.standins.adk import EvalBaseModel

__all__ = ["ConversationScenario", "ConversationScenarios", "UserBehavior", "UserPersona"]


class UserBehavior(BaseModel):
    """A habit of a simulated user."""

    model_config = ConfigDict(defer_build=True)

    name: str
    description: str
    behavior_instructions: list[str]
    violation_rubrics: list[str]


class UserPersona(BaseModel):
    """The person that a simulated user plays."""

    model_config = ConfigDict(defer_build=True)

    id: str
    description: str
    behaviors: Sequence[UserBehavior]


class ConversationScenario(EvalBaseModel):
    """The start of a conversation, and its goal."""

    starting_prompt: str
    conversation_plan: str
    user_persona: UserPersona | None = None

    @field_validator("user_persona", mode="before")
    @classmethod
    def _name_persona(cls, given: Any) -> Any:
        """Make a persona of a name: of those that ADK brings along no more is known here."""
        is_name = isinstance(given, str)
        return UserPersona(id=given, description="", behaviors=[]) if is_name else given


class ConversationScenarios(EvalBaseModel):
    """Several of them."""

    scenarios: list[ConversationScenario] = []
