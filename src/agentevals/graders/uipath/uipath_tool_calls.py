"""UiPath's evaluators of tool calls: their number, order, arguments and outputs."""

import operator
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agentevals.graders.grader import Services
from agentevals.graders.tools.tool_steps import UNORDERED
from agentevals.graders.uipath import uipath_calls
from agentevals.graders.uipath.uipath_calls import Called
from agentevals.graders.uipath.uipath_grader import UiPathEvaluator
from agentevals.graders.uipath.uipath_outputs import (
    count_times,
    grade_missing_calls,
    grade_share,
    list_first,
    quote_pair,
    quote_value,
)
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact
from agentevals.model.errors import EvaluatorError
from agentevals_evaluator_sdk.standins.uipath.standin_tool_scores import find_common

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


def _check_pair(given: Any) -> Any:
    if isinstance(given, list | tuple) and len(given) == _PAIR:
        return given
    msg = f'must be a sign and a number, such as [">=", 1], not {quote_value(given)}'
    raise ValueError(msg)


Expected = Annotated[
    tuple[Sign, int], BeforeValidator(_check_pair, json_schema_input_type=tuple[Sign, int])
]


class ToolCallCount(UiPathEvaluator):
    """The share of the counts that hold. When strict, 1 if all of them do, otherwise 0."""

    type = "uipath_tool_call_count"
    judges_by = frozenset({Fact.TOOL_CALLS})
    of_the_case = ("tool_calls_count",)

    tool_calls_count: dict[str, Expected] = Field(
        description='By tool, how often: `[">=", 1]`; also `>`, `<`, `<=`, `=`, `==`, `!=`'
    )
    strict: bool = Field(default=False, description="Whether one miss is enough for 0")

    def grade_run(self, case: Case, services: Services) -> Grade:
        actual = uipath_calls.read_calls(case)
        counts = {
            name: sum(uipath_calls.is_meant(name, None, call) for call in actual)
            for name in self.tool_calls_count
        }
        details = {"expected": self.tool_calls_count, "actual": counts}
        if (told := grade_missing_calls(self.tool_calls_count, actual, **details)) is not None:
            return told
        hits: list[str] = []
        misses: list[str] = []
        for name, (sign, wanted) in self.tool_calls_count.items():
            said = f"{name} was called {count_times(counts[name])} ({sign} {wanted} expected)"
            (hits if _HOLDS[sign](counts[name], wanted) else misses).append(said)
        score = 0.0 if self.strict and misses else len(hits) / len(self.tool_calls_count)
        return grade_share(score, hits, misses, **details)


_MOST = 1_000_000  # pairs of calls; about a second of work


class ToolCallOrder(UiPathEvaluator):
    """The share of the expected calls that happened in their order; others may come between.

    When strict, 1 for exactly these calls in this order, otherwise 0.
    """

    type = "uipath_tool_call_order"
    judges_by = frozenset({Fact.TOOL_CALLS})
    of_the_case = ("tool_calls_order",)

    tool_calls_order: tuple[str, ...] = Field(description="Names of tools, or ids of calls")
    strict: bool = Field(default=False, description="Whether nothing else may be called")

    def grade_run(self, case: Case, services: Services) -> Grade:
        if any(turn.unordered for turn in case.turns):
            return Grade.not_evaluated(UNORDERED)
        expected, actual = self.tool_calls_order, uipath_calls.read_calls(case)
        details = {"expected": list(expected), "actual": [call.name for call in actual]}
        if (told := grade_missing_calls(expected, actual, **details, lcs=[])) is not None:
            return told
        kept = (
            _match_exactly(expected, actual) if self.strict else _find_longest_run(expected, actual)
        )
        called = list_first(call.name for call in actual)
        missed = [name for at, name in enumerate(expected) if at not in kept]
        return grade_share(
            len(kept) / len(expected),
            [f"{expected[at]} was called in its place" for at in kept],
            [f"{name} was not called in its place; called: {called}" for name in missed],
            **details,
            lcs=[expected[at] for at in kept],
        )


def _match_exactly(expected: tuple[str, ...], actual: list[Called]) -> list[int]:
    same = len(expected) == len(actual) and all(
        uipath_calls.is_meant(name, None, call) for name, call in zip(expected, actual, strict=True)
    )
    return list(range(len(expected))) if same else []


def _find_longest_run(expected: tuple[str, ...], actual: list[Called]) -> list[int]:
    """The places of a longest run of expected calls that happened one after the other."""
    if len(expected) * len(actual) > _MOST:
        msg = f"{len(expected):,} expected and {len(actual):,} recorded calls are too many"
        raise EvaluatorError(msg)
    return find_common(actual, expected, lambda call, name: uipath_calls.is_meant(name, None, call))


class ExpectedCall(BaseModel):
    """A call of a tool. Arguments that are not stated may be anything."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str = Field(description="Name of the tool, or id of the call")
    args: dict[str, Any] = Field(description="Arguments that it must have been called with")
    id: str | None = Field(default=None, description="Id of the call")


class ToolCallArgs(UiPathEvaluator):
    """The share of the expected calls that happened, in any order and each for itself.

    When strict, 1 if all of them did, otherwise 0.
    """

    type = "uipath_tool_call_args"
    judges_by = frozenset({Fact.TOOL_CALLS, Fact.ARGUMENTS})
    of_the_case = ("tool_calls",)

    tool_calls: tuple[ExpectedCall, ...] = Field(description="The calls that are expected")
    strict: bool = Field(default=False, description="Whether one miss is enough for 0")
    subset: bool = Field(
        default=False,
        description="Makes no difference: arguments that are not expected are always allowed",
    )

    def grade_run(self, case: Case, services: Services) -> Grade:
        actual = uipath_calls.read_calls(case)
        details = {
            "expected": [call.model_dump(exclude_none=True) for call in self.tool_calls],
            "actual": [{"name": call.name, "args": call.args} for call in actual],
        }
        if (told := grade_missing_calls(self.tool_calls, actual, **details)) is not None:
            return told
        hits, misses, free = [], [], dict(enumerate(actual))
        for wanted in self.tool_calls:
            at = next((at for at, call in free.items() if _has_arguments(wanted, call)), None)
            if at is None:
                misses.append(_describe_args(wanted, actual))
            else:
                del free[at]
                hits.append(f"{wanted.name} was called with {quote_value(wanted.args)}")
        score = 0.0 if self.strict and misses else len(hits) / len(self.tool_calls)
        return grade_share(score, hits, misses, **details)


def _describe_args(wanted: ExpectedCall, actual: list[Called]) -> str:
    meant = [c.args for c in actual if uipath_calls.is_meant(wanted.name, wanted.id, c)]
    asked, listed = _list_found(wanted.args, meant)
    found = f", but with {listed}" if meant else f"; called: {list_first(c.name for c in actual)}"
    return f"{wanted.name} was not called with {asked}{found}"


def _list_found(wanted: Any, found: list[Any]) -> tuple[str, str]:
    """Return what was asked for, and what there was; the first two show what differs."""
    if not found:
        return quote_value(wanted), ""
    first, asked = quote_pair(found[0], wanted)
    return asked, list_first((first, *map(quote_value, found[1:])))


def _has_arguments(wanted: ExpectedCall, call: Called) -> bool:
    return uipath_calls.is_meant(wanted.name, wanted.id, call) and all(
        key in call.args and call.args[key] == value for key, value in wanted.args.items()
    )


class ExpectedOutput(BaseModel):
    """The expected output of a tool."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: str = Field(description="Name of the tool, or id of the call")
    output: str = Field(description="The text that it put out")
    id: str | None = Field(default=None, description="Id of the call")


class ToolCallOutput(UiPathEvaluator):
    """The share of the expected outputs that a call of that tool had, each call counting once.

    When strict, the first call of a tool must have it: 1 if all do, otherwise 0.
    """

    type = "uipath_tool_call_output"
    judges_by = frozenset({Fact.TOOL_CALLS, Fact.TOOL_ANSWERS})
    of_the_case = ("tool_outputs",)

    tool_outputs: tuple[ExpectedOutput, ...] = Field(description="The outputs that are expected")
    strict: bool = Field(default=False, description="Whether one miss is enough for 0")

    def grade_run(self, case: Case, services: Services) -> Grade:
        actual = uipath_calls.read_calls(case)
        details = {
            "expected": [one.model_dump(exclude_none=True) for one in self.tool_outputs],
            "actual": [{"name": call.name, "output": call.output} for call in actual],
        }
        if (told := grade_missing_calls(self.tool_outputs, actual, **details)) is not None:
            return told
        hits, misses, free = [], [], dict(enumerate(actual))
        for wanted in self.tool_outputs:
            at = self._find_call(wanted, free)
            if at is None:
                misses.append(_describe_outputs(wanted, actual))
            else:
                del free[at]
                hits.append(f"{wanted.name} put out {quote_value(wanted.output)}")
        score = 0.0 if self.strict and misses else len(hits) / len(self.tool_outputs)
        return grade_share(score, hits, misses, **details)

    def _find_call(self, wanted: ExpectedOutput, free: dict[int, Called]) -> int | None:
        meant = [
            at for at, call in free.items() if uipath_calls.is_meant(wanted.name, wanted.id, call)
        ]
        looked_at = meant[:1] if self.strict else meant
        return next((at for at in looked_at if free[at].output == wanted.output), None)


def _describe_outputs(wanted: ExpectedOutput, actual: list[Called]) -> str:
    meant = [c.output for c in actual if uipath_calls.is_meant(wanted.name, wanted.id, c)]
    asked, listed = _list_found(wanted.output, meant)
    found = f", but {listed}" if meant else f"; called: {list_first(c.name for c in actual)}"
    return f"{wanted.name} did not put out {asked}{found}"
