"""`uipath-tool-call-args`: the tools were called with the expected arguments."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from agentevals.graders.grader import Services
from agentevals.graders.uipath import calls
from agentevals.graders.uipath.calls import Called
from agentevals.graders.uipath.sentences import listed, share, shown, without_calls
from agentevals.graders.uipath.settings import UiPathEvaluator
from agentevals.model.cases import Case, Grade


class ExpectedCall(BaseModel):
    """A call of a tool. Arguments that are not stated may be anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="Name of the tool, or id of the call")
    args: dict[str, Any] = Field(description="Arguments that it must have been called with")
    id: str | None = Field(default=None, description="Id of the call")


class ToolCallArgs(UiPathEvaluator):
    """The share of the expected calls that happened, in any order and each for itself.

    When strict, 1 if all of them did, otherwise 0.
    """

    type = "uipath_tool_call_args"
    of_the_case = ("tool_calls",)

    tool_calls: tuple[ExpectedCall, ...] = Field(description="The calls that are expected")
    strict: bool = Field(default=False, description="Whether one miss is enough for 0")
    subset: bool = Field(
        default=False,
        description="Makes no difference: arguments that are not expected are always allowed",
    )

    def grade(self, case: Case, services: Services) -> Grade:
        actual = calls.of_case(case)
        details = {
            "expected": [call.model_dump(exclude_none=True) for call in self.tool_calls],
            "actual": [{"name": call.name, "args": call.args} for call in actual],
        }
        if (told := without_calls(self.tool_calls, actual, **details)) is not None:
            return told
        hits, misses, free = [], [], dict(enumerate(actual))
        for wanted in self.tool_calls:
            at = next((at for at, call in free.items() if _fits(wanted, call)), None)
            said = f"called with {shown(wanted.args)}"
            if at is None:
                misses.append(f"{wanted.name} was not {said}{_instead(wanted, actual)}")
            else:
                del free[at]
                hits.append(f"{wanted.name} was {said}")
        score = 0.0 if self.strict and misses else len(hits) / len(self.tool_calls)
        return share(score, hits, misses, **details)


def _instead(wanted: ExpectedCall, actual: list[Called]) -> str:
    meant = [shown(c.args) for c in actual if calls.meant(wanted.name, wanted.id, c)]
    return f", but with {listed(meant)}" if meant else f"; called: {listed(c.name for c in actual)}"


def _fits(wanted: ExpectedCall, call: Called) -> bool:
    return calls.meant(wanted.name, wanted.id, call) and all(
        key in call.args and call.args[key] == value for key, value in wanted.args.items()
    )
