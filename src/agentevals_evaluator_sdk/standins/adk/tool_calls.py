"""The tool calls of a turn, however it tells of them."""

from collections.abc import Iterator
from typing import TypeAlias

from agentevals_evaluator_sdk.standins.adk.cases import (
    IntermediateData,
    IntermediateDataType,
    Invocation,
    InvocationEvents,
)
from agentevals_evaluator_sdk.standins.adk.contents import (
    FunctionCall,
    FunctionResponse,
    GenerateContentResponseUsageMetadata,
    Part,
)

__all__ = [
    "ToolCallAndResponse",
    "get_all_tool_calls",
    "get_all_tool_calls_with_responses",
    "get_all_tool_responses",
    "get_all_usage_metadata",
]

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
