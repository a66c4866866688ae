"""`uipath-tool-call-output`: the tools put out what was expected."""

from pydantic import BaseModel, ConfigDict, Field

from agentevals.graders.grader import Services
from agentevals.graders.uipath import calls
from agentevals.graders.uipath.calls import Called
from agentevals.graders.uipath.sentences import listed, share, shown, without_calls
from agentevals.graders.uipath.settings import UiPathEvaluator
from agentevals.model.cases import Case, Grade


class ExpectedOutput(BaseModel):
    """What a tool must have put out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="Name of the tool, or id of the call")
    output: str = Field(description="The text that it put out")
    id: str | None = Field(default=None, description="Id of the call")


class ToolCallOutput(UiPathEvaluator):
    """The share of the expected outputs that a call of that tool had, each call counting once.

    When strict, the first call of a tool must have it: 1 if all do, otherwise 0.
    """

    type = "uipath_tool_call_output"
    of_the_case = ("tool_outputs",)

    tool_outputs: tuple[ExpectedOutput, ...] = Field(description="The outputs that are expected")
    strict: bool = Field(default=False, description="Whether one miss is enough for 0")

    def grade(self, case: Case, services: Services) -> Grade:
        actual = calls.of_case(case)
        details = {
            "expected": [one.model_dump(exclude_none=True) for one in self.tool_outputs],
            "actual": [{"name": call.name, "output": call.output} for call in actual],
        }
        if (told := without_calls(self.tool_outputs, actual, **details)) is not None:
            return told
        hits, misses, free = [], [], dict(enumerate(actual))
        for wanted in self.tool_outputs:
            at = self._found(wanted, free)
            if at is None:
                said = f"{wanted.name} did not put out {shown(wanted.output)}"
                misses.append(f"{said}{_instead(wanted, actual)}")
            else:
                del free[at]
                hits.append(f"{wanted.name} put out {shown(wanted.output)}")
        score = 0.0 if self.strict and misses else len(hits) / len(self.tool_outputs)
        return share(score, hits, misses, **details)

    def _found(self, wanted: ExpectedOutput, free: dict[int, Called]) -> int | None:
        meant = [at for at, call in free.items() if calls.meant(wanted.name, wanted.id, call)]
        looked_at = meant[:1] if self.strict else meant
        return next((at for at in looked_at if free[at].output == wanted.output), None)


def _instead(wanted: ExpectedOutput, actual: list[Called]) -> str:
    meant = [shown(c.output) for c in actual if calls.meant(wanted.name, wanted.id, c)]
    return f", but {listed(meant)}" if meant else f"; called: {listed(c.name for c in actual)}"
