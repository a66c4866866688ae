"""Eval cases: turns, what happened in each, and with which agents."""

from collections.abc import Iterator
from typing import Any, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agentevals_evaluator_sdk.standins.adk import EvalBaseModel
from agentevals_evaluator_sdk.standins.adk.standin_contents import (
    Content,
    FunctionCall,
    FunctionResponse,
    GenerateContentResponseUsageMetadata,
    GroundingMetadata,
    Part,
)
from agentevals_evaluator_sdk.standins.adk.standin_rubrics import Rubric
from agentevals_evaluator_sdk.standins.adk.standin_scenarios import ConversationScenario

__all__ = [
    "AgentDetails", "AppDetails", "ConversationScenario", "EvalBaseModel", "EvalCase", "EvalSet",
    "IntermediateData", "IntermediateDataType", "Invocation", "InvocationEvent",
    "InvocationEvents", "Rubric", "SessionInput", "SessionState", "StaticConversation",
    "ToolCallAndResponse", "get_all_tool_calls", "get_all_tool_calls_with_responses",
    "get_all_tool_responses", "get_all_usage_metadata",
]  # fmt: skip


class AgentDetails(EvalBaseModel):
    """The instructions of an agent, and its tools."""

    name: str
    instructions: str = ""
    tool_declarations: list[Any] = []


class AppDetails(EvalBaseModel):
    """The agents of an application, by name."""

    agent_details: dict[str, AgentDetails] = {}

    def get_developer_instructions(self, agent_name: str) -> str:
        """Return the instructions of an agent."""
        if agent_name not in self.agent_details:
            msg = f"`{agent_name}` not found in the agentic system."
            raise ValueError(msg)
        return self.agent_details[agent_name].instructions

    def get_tools_by_agent_name(self) -> dict[str, list[Any]]:
        """Return the tools of each agent."""
        return {name: agent.tool_declarations for name, agent in self.agent_details.items()}


class IntermediateData(EvalBaseModel):
    """The steps between question and answer, sorted by kind."""

    tool_uses: list[FunctionCall] = []
    tool_responses: list[FunctionResponse] = []
    intermediate_responses: list[tuple[str, list[Part]]] = []


class InvocationEvent(EvalBaseModel, extra="ignore"):
    """Something that an agent or a tool contributed."""

    author: str
    content: Content | None = None
    grounding_metadata: GroundingMetadata | None = None
    usage_metadata: GenerateContentResponseUsageMetadata | None = None
    model_version: str | None = None


class InvocationEvents(EvalBaseModel):
    """The steps between question and answer, in order."""

    invocation_events: list[InvocationEvent] = []


IntermediateDataType: TypeAlias = IntermediateData | InvocationEvents


class Invocation(EvalBaseModel):
    """One turn: what the user said, what happened, what the agent answered."""

    invocation_id: str = ""
    user_content: Content
    final_response: Content | None = None
    intermediate_data: IntermediateData | InvocationEvents | None = None
    creation_timestamp: float = 0.0
    duration: float | None = None
    model_duration: float | None = None
    tool_duration: float | None = None
    rubrics: list[Rubric] | None = None
    app_details: AppDetails | None = None


SessionState: TypeAlias = dict[str, Any]
StaticConversation: TypeAlias = list[Invocation]


class SessionInput(EvalBaseModel, extra="allow"):
    """The session that a case begins with."""

    app_name: str
    user_id: str
    session_id: str | None = None
    state: SessionState = {}


class EvalCase(EvalBaseModel, extra="allow"):
    """A conversation as it should be, or a scenario for a simulated user."""

    eval_id: str
    conversation: StaticConversation | None = None
    conversation_scenario: ConversationScenario | None = None
    session_input: SessionInput | None = None
    creation_timestamp: float = 0.0
    rubrics: list[Rubric] | None = None
    final_session_state: SessionState | None = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_either(self) -> Self:
        if (self.conversation is None) is (self.conversation_scenario is None):
            msg = "Exactly one of conversation and conversation_scenario must be provided."
            raise ValueError(msg)
        return self


class EvalSet(BaseModel):
    """Several cases."""

    model_config = ConfigDict(defer_build=True)

    eval_set_id: str
    name: str | None = None
    description: str | None = None
    eval_cases: list[EvalCase]
    creation_timestamp: float = 0.0


ToolCallAndResponse: TypeAlias = tuple[FunctionCall, FunctionResponse | None]


def get_all_tool_calls(intermediate_data: IntermediateDataType | None) -> list[FunctionCall]:
    """Return the calls, in order."""
    if isinstance(intermediate_data, IntermediateData):
        return intermediate_data.tool_uses
    return [part.function_call for part in _parts(intermediate_data) if part.function_call]


def get_all_tool_responses(
    intermediate_data: IntermediateDataType | None,
) -> list[FunctionResponse]:
    """Return the responses, in order."""
    if isinstance(intermediate_data, IntermediateData):
        return intermediate_data.tool_responses
    return [part.function_response for part in _parts(intermediate_data) if part.function_response]


def get_all_tool_calls_with_responses(
    intermediate_data: IntermediateDataType | None,
) -> list[ToolCallAndResponse]:
    """Each call with the response that has its id."""
    responses = {response.id: response for response in get_all_tool_responses(intermediate_data)}
    return [(call, responses.get(call.id)) for call in get_all_tool_calls(intermediate_data)]


def get_all_usage_metadata(invocation: Invocation) -> list[GenerateContentResponseUsageMetadata]:
    """The tokens of every answer of a model, where they were recorded."""
    data = invocation.intermediate_data
    events = data.invocation_events if isinstance(data, InvocationEvents) else []
    return [event.usage_metadata for event in events if event.usage_metadata]


def _parts(data: IntermediateDataType | None) -> Iterator[Part]:
    for event in data.invocation_events if isinstance(data, InvocationEvents) else ():
        yield from (event.content and event.content.parts) or ()
