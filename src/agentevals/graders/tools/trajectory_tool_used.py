"""`trajectory:tool-used`: the agent called certain tools."""

from pydantic import Field

from agentevals.graders.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.tools.sequences.matching import AllUsed, are_all_used
from agentevals.graders.tools.sequences.steps import list_calls, name_calls
from agentevals.model.cases import Case, Grade


class ToolUsed(Assertion):
    """1 where every tool was called as often as it should be; negated, where none was."""

    type = "trajectory_tool_used"

    value: AllUsed = Field(
        description="A name, a list of names, or `{name | pattern, min, max}`; `*` and `?` stand "
        "for other characters, and case is no matter"
    )

    def grade(self, case: Case, services: Services) -> Grade:
        calls = list_calls(case)
        counts = [sum(one.means((call.name,)) for call in calls) for one in self.value]
        met = are_all_used(self.value, counts, forbidden=self.negate)
        said = "; ".join(
            one.describe(times, forbidden=self.negate)
            for one, times in zip(self.value, counts, strict=True)
        )
        seen = f"{said}. Tools called: {name_calls(calls)}"
        return grade_binary(met=met, hit=seen, miss=seen)
