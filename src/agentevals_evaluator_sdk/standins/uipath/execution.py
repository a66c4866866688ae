"""The input and the work of an agent, under the older and the newer names of the fields."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from agentevals_evaluator_sdk.standins.uipath.tools import ToolCall, ToolOutput

__all__ = ["AgentExecution", "ToolCall", "ToolOutput", "WorkloadExecution"]

_NEWER = {
    "workload_input": "agent_input",
    "workload_output": "agent_output",
    "workload_trace": "agent_trace",
}


class AgentExecution(BaseModel):
    """One run of an agent. `workload_output` is `agent_output`, and so are the others."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    agent_input: dict[str, Any] | None
    agent_output: dict[str, Any] | str
    agent_trace: list[Any]
    expected_agent_behavior: str | None = None
    simulation_instructions: str = ""

    def __init__(self, *fields: Any, **named: Any) -> None:
        known = list(type(self).model_fields)
        older = {_NEWER.get(name, name): value for name, value in named.items()}
        super().__init__(**dict(zip(known, fields, strict=False)), **older)

    @property
    def workload_input(self) -> dict[str, Any] | None:
        return self.agent_input

    @property
    def workload_output(self) -> dict[str, Any] | str:
        return self.agent_output

    @property
    def workload_trace(self) -> list[Any]:
        return self.agent_trace


WorkloadExecution = AgentExecution
