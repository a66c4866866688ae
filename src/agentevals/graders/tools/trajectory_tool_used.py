"""`trajectory:tool-used`: the agent called certain tools."""

from pydantic import Field

from agentevals.graders.assertions import Assertion, binary
from agentevals.graders.grader import Services
from agentevals.graders.tools.sequences.matching import AllUsed, all_used
from agentevals.graders.tools.sequences.steps import calls_of, calls_told
from agentevals.model.cases import Case, Grade


class ToolUsed(Assertion):
    """1 where every tool was called as often as it should be; negated, where none was."""

    type = "trajectory_tool_used"

    value: AllUsed = Field(
        description="A name, a list of names, or `{name | pattern, min, max}`; `*` and `?` stand "
        "for other characters, and case is no matter"
    )

    def grade(self, case: Case, services: Services) -> Grade:
        calls = calls_of(case)
        counts = [sum(one.means((call.name,)) for call in calls) for one in self.value]
        met = all_used(self.value, counts, forbidden=self.negate)
        said = "; ".join(
            one.told(times, forbidden=self.negate)
            for one, times in zip(self.value, counts, strict=True)
        )
        seen = f"{said}. Tools called: {calls_told(calls)}"
        return binary(met=met, hit=seen, miss=seen)
