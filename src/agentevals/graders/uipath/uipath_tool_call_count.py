"""`uipath-tool-call-count`: each tool was called as often as expected."""

import operator
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from agentevals.graders.grader import Services
from agentevals.graders.uipath import calls
from agentevals.graders.uipath.sentences import share, shown, times, without_calls
from agentevals.graders.uipath.settings import UiPathEvaluator
from agentevals.model.cases import Case, Grade

_HOLDS: dict[str, Callable[[int, int], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}

_PAIR = 2

Sign = Literal[">", "<", ">=", "<=", "=", "==", "!="]


def _pair(given: Any) -> Any:
    if isinstance(given, list | tuple) and len(given) == _PAIR:
        return given
    msg = f'must be a sign and a number, such as [">=", 1], not {shown(given)}'
    raise ValueError(msg)


Expected = Annotated[
    tuple[Sign, int], BeforeValidator(_pair, json_schema_input_type=tuple[Sign, int])
]


class ToolCallCount(UiPathEvaluator):
    """The share of the counts that hold. When strict, 1 if all of them do, otherwise 0."""

    type = "uipath_tool_call_count"
    of_the_case = ("tool_calls_count",)

    tool_calls_count: dict[str, Expected] = Field(
        description='By tool, how often: `[">=", 1]`; also `>`, `<`, `<=`, `=`, `==`, `!=`'
    )
    strict: bool = Field(default=False, description="Whether one miss is enough for 0")

    def grade(self, case: Case, services: Services) -> Grade:
        actual = calls.of_case(case)
        counts = {
            name: sum(1 for _ in calls.matching(name, None, actual))
            for name in self.tool_calls_count
        }
        details = {"expected": self.tool_calls_count, "actual": counts}
        if (told := without_calls(self.tool_calls_count, actual, **details)) is not None:
            return told
        hits: list[str] = []
        misses: list[str] = []
        for name, (sign, wanted) in self.tool_calls_count.items():
            said = f"{name} was called {times(counts[name])} ({sign} {wanted} expected)"
            (hits if _HOLDS[sign](counts[name], wanted) else misses).append(said)
        score = 0.0 if self.strict and misses else len(hits) / len(self.tool_calls_count)
        return share(score, hits, misses, **details)
