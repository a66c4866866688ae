"""The input and the output of an evaluator: protocol 1.1.

Within a major version fields are only ever added, each with a default, and unknown ones are
ignored: an evaluator built on an older SDK works under a newer command line, and the reverse.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

PROTOCOL_VERSION = "1.1"


class Message(BaseModel):
    """Base of everything that crosses the pipe."""

    model_config = ConfigDict(extra="ignore")


class ToolCallData(Message):
    """A tool that the agent called, or another `agent` whose work belongs to the turn."""

    name: str
    args: dict[str, Any] = {}
    id: str | None = None
    agent: str | None = None


class ToolResponseData(Message):
    """The result of a tool: `output` as text, `response` as it was recorded."""

    name: str
    output: str = ""
    status: str | None = None
    id: str | None = None
    response: Any = None


class IntermediateStepData(Message):
    """The steps between the user's message and the final response."""

    tool_calls: list[ToolCallData] = []
    tool_responses: list[ToolResponseData] = []


class InvocationData(Message):
    """One turn, with the figures of its conversation and its own (`turn_…`).

    If the recording lacks a fact, `completeness` says for each fact whether it is `recorded`,
    `withheld` or `unknown`; what is missing is then empty here.
    """

    invocation_id: str = ""
    user_content: str = ""
    final_response: str | None = None
    intermediate_steps: IntermediateStepData = IntermediateStepData()
    performance_metrics: dict[str, Any] | None = None
    trace_id: str | None = None
    span_id: str | None = None
    turn_performance_metrics: dict[str, Any] | None = None
    completeness: dict[str, str] | None = None


class EvalInput(Message):
    """The input of an evaluator: the turns, the expected turns, and its own settings."""

    protocol_version: str = PROTOCOL_VERSION
    metric_name: str
    threshold: float = 0.5
    config: dict[str, Any] = {}
    invocations: list[InvocationData] = []
    expected_invocations: list[InvocationData] | None = None


class EvalStatus(StrEnum):
    """An evaluator's own opinion of the outcome, which wins over the threshold."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    NOT_EVALUATED = "NOT_EVALUATED"


def _number(value: object) -> object:
    """Python takes True for 1 and pydantic takes "0.5" for 0.5; in a score both are mistakes."""
    if isinstance(value, bool | str | bytes):
        msg = f"must be a number, not {value!r}"
        raise ValueError(msg)  # noqa: TRY004 -- pydantic reports ValueError
    return value


Number = Annotated[float, BeforeValidator(_number)]


class EvalResult(Message):
    """The result of an evaluator."""

    score: Annotated[Number, Field(ge=0, le=1, allow_inf_nan=False)]
    status: EvalStatus | None = None
    per_invocation_scores: list[Number | None] = []
    details: dict[str, Any] | None = None
