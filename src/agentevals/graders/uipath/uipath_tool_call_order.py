"""`uipath-tool-call-order`: the tools were called in the expected order."""

from pydantic import Field

from agentevals.graders.grader import Services
from agentevals.graders.uipath import calls
from agentevals.graders.uipath.calls import Called
from agentevals.graders.uipath.sentences import listed, share, without_calls
from agentevals.graders.uipath.settings import UiPathEvaluator
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError

_MOST = 1_000_000  # pairs of calls; about a second of work


class ToolCallOrder(UiPathEvaluator):
    """The share of the expected calls that happened in their order; others may come between.

    When strict, 1 for exactly these calls in this order, otherwise 0.
    """

    type = "uipath_tool_call_order"
    of_the_case = ("tool_calls_order",)

    tool_calls_order: tuple[str, ...] = Field(description="Names of tools, or ids of calls")
    strict: bool = Field(default=False, description="Whether nothing else may be called")

    def grade(self, case: Case, services: Services) -> Grade:
        expected, actual = self.tool_calls_order, calls.of_case(case)
        details = {"expected": list(expected), "actual": [call.name for call in actual]}
        if (told := without_calls(expected, actual, **details, lcs=[])) is not None:
            return told
        kept = _exactly(expected, actual) if self.strict else _in_order(expected, actual)
        called = listed(call.name for call in actual)
        missed = [name for at, name in enumerate(expected) if at not in kept]
        return share(
            len(kept) / len(expected),
            [f"{expected[at]} was called in its place" for at in kept],
            [f"{name} was not called in its place; called: {called}" for name in missed],
            **details,
            lcs=[expected[at] for at in kept],
        )


def _exactly(expected: tuple[str, ...], actual: list[Called]) -> list[int]:
    same = len(expected) == len(actual) and all(
        calls.meant(name, None, call) for name, call in zip(expected, actual, strict=True)
    )
    return list(range(len(expected))) if same else []


def _in_order(expected: tuple[str, ...], actual: list[Called]) -> list[int]:
    """The places of a longest run of expected calls that happened one after the other."""
    if len(expected) * len(actual) > _MOST:
        msg = f"{len(expected):,} expected and {len(actual):,} recorded calls are too many"
        raise EvaluatorError(msg)
    length = [[0] * (len(actual) + 1) for _ in range(len(expected) + 1)]
    for at in reversed(range(len(expected))):
        for place in reversed(range(len(actual))):
            if calls.meant(expected[at], None, actual[place]):
                length[at][place] = length[at + 1][place + 1] + 1
            else:
                length[at][place] = max(length[at + 1][place], length[at][place + 1])
    return _walked(length, expected, actual)


def _walked(length: list[list[int]], expected: tuple[str, ...], actual: list[Called]) -> list[int]:
    kept, at, place = [], 0, 0
    while at < len(expected) and place < len(actual):
        if calls.meant(expected[at], None, actual[place]):
            kept.append(at)
            at, place = at + 1, place + 1
        elif length[at + 1][place] > length[at][place + 1]:
            at += 1
        else:
            place += 1
    return kept
