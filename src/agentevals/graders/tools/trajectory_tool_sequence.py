"""`trajectory:tool-sequence`: the agent called certain tools one after the other."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agentevals.graders.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.tools.sequences import UNORDERED
from agentevals.graders.tools.sequences.matching import NamedMatcher
from agentevals.graders.tools.sequences.steps import list_calls, name_calls
from agentevals.model.cases import Case, Grade
from agentevals.model.conversations import ToolCall


def _wrap_name(given: Any) -> Any:
    return {"name": given} if isinstance(given, str) else given


def _wrap_steps(given: Any) -> Any:
    return {"steps": given} if isinstance(given, list | tuple) else given


Tool = Annotated[
    NamedMatcher, BeforeValidator(_wrap_name, json_schema_input_type=str | NamedMatcher)
]


class Sequence(BaseModel):
    """Tools, one after the other."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: tuple[Tool, ...] = Field(min_length=1, description="The tools, in their order")
    mode: Literal["in_order", "exact"] = Field(
        default="in_order",
        description="`in_order`: others may come between; `exact`: these calls and no others",
    )


class ToolSequence(Assertion):
    """1 where the tools were called in this order, otherwise 0."""

    type = "trajectory_tool_sequence"

    value: Annotated[
        Sequence, BeforeValidator(_wrap_steps, json_schema_input_type=list[Tool] | Sequence)
    ] = Field(description="A list of tools, or `{steps, mode}`; `*` and `?` stand for others")

    def grade(self, case: Case, services: Services) -> Grade:
        if any(turn.unordered for turn in case.turns):
            return Grade.not_evaluated(UNORDERED)
        calls = list_calls(case)
        missed = self._find_missed(calls)
        wanted = ", ".join(step.label for step in self.value.steps)
        seen = f"Tools called: {name_calls(calls)}"
        exactly = " and no others" if self.value.mode == "exact" else ""
        return grade_binary(
            met=not missed,
            hit=f"Called in order{exactly}: {wanted}. {seen}",
            miss=f"{missed}. Expected in order{exactly}: {wanted}. {seen}",
        )

    def _find_missed(self, calls: tuple[ToolCall, ...]) -> str:
        steps = self.value.steps
        if self.value.mode == "exact" and len(steps) != len(calls):
            return f"{len(calls)} calls instead of {len(steps)}"
        rest = iter(calls)
        for number, step in enumerate(steps):
            candidates = rest if self.value.mode == "in_order" else (calls[number],)
            if not any(step.means((call.name,)) for call in candidates):
                return f"{step.label} was not called as step {number + 1}"
        return ""
