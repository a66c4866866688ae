"""The scores of tool calls, with what they were made of: as UiPath's helpers give them."""

import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentevals_evaluator_sdk.standins.uipath.standin_results import ToolCall, ToolOutput

__all__ = [
    "COMPARATOR_MAPPINGS", "count_tool_calls_by_name_and_id", "tool_calls_args_score",
    "tool_calls_count_score", "tool_calls_order_score", "tool_calls_order_score_with_ids",
    "tool_calls_output_score",
]  # fmt: skip

COMPARATOR_MAPPINGS = {
    ">": "gt",
    "<": "lt",
    ">=": "ge",
    "<=": "le",
    "=": "eq",
    "==": "eq",
    "!=": "ne",
}
_DROPPED = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST = 64

Scored = tuple[float, dict[str, Any]]


def count_tool_calls_by_name_and_id(tool_calls: Sequence[ToolCall]) -> dict[str, int]:
    """Count the calls of each tool, by the id of the call if it has one."""
    return dict(Counter(call.name if call.id is None else call.id for call in tool_calls))


def tool_calls_order_score(
    actual_tool_calls_names: Sequence[str],
    expected_tool_calls_names: Sequence[str],
    strict: bool = False,
) -> Scored:
    """The share of the expected names that came in their order."""
    return _score_order(
        list(actual_tool_calls_names), list(expected_tool_calls_names), operator.eq, strict
    )


def tool_calls_order_score_with_ids(
    actual_tool_calls: Sequence[ToolCall],
    expected_tool_calls_keys: Sequence[str],
    strict: bool = False,
) -> Scored:
    """The share of the expected names, or ids, that came in their order."""
    keys = list(expected_tool_calls_keys)
    score, told = _score_order(list(actual_tool_calls), keys, _is_key, strict)
    actual = [call.name if call.id is None else call.id for call in actual_tool_calls]
    return score, told | {"actual": str(actual)}


def _score_order(
    actual: list[Any], expected: list[str], same: Callable[[Any, str], bool], strict: bool
) -> Scored:
    told: dict[str, Any] = {"actual": str(actual), "expected": str(expected), "lcs": []}
    if not actual or not expected:
        return float(not actual and not expected), told
    if strict:
        equal = len(actual) == len(expected) and all(map(same, actual, expected))
        return float(equal), told | {"lcs": expected if equal else []}
    kept = [expected[at] for at in find_common(actual, expected, same)]
    return len(kept) / len(expected), told | {"lcs": kept}


def find_common(
    actual: Sequence[Any], expected: Sequence[str], same: Callable[[Any, str], bool]
) -> list[int]:
    """The places of a longest run of expected keys that came in their order.

    Of several it is the one that UiPath tells, which is found from the end.
    """
    length = [[0] * (len(expected) + 1) for _ in range(len(actual) + 1)]
    for row, one in enumerate(actual, start=1):
        for column, key in enumerate(expected, start=1):
            longest = max(length[row - 1][column], length[row][column - 1])
            length[row][column] = length[row - 1][column - 1] + 1 if same(one, key) else longest
    kept: list[int] = []
    row, column = len(actual), len(expected)
    while row and column:
        if same(actual[row - 1], expected[column - 1]):
            row, column = row - 1, column - 1
            kept.append(column)
        elif length[row - 1][column] > length[row][column - 1]:
            row -= 1
        else:
            column -= 1
    return kept[::-1]


def tool_calls_count_score(
    actual_tool_calls_count: Mapping[str, int],
    expected_tool_calls_count: Mapping[str, tuple[str, int]],
    strict: bool = False,
    justification_key: str = "explained_tool_calls_count",
) -> Scored:
    """The share of the counts that hold."""
    actual, expected = dict(actual_tool_calls_count), dict(expected_tool_calls_count)
    told: dict[str, Any] = {"expected": str(expected), "actual": str(actual)}
    if not actual or not expected:
        return _score_nothing(told, justification_key, not actual and not expected, "")
    said, held = {}, 0.0
    for name, (sign, count) in expected.items():
        found = actual.get(name, actual.get(_sanitise(name), 0))
        met = float(getattr(operator, COMPARATOR_MAPPINGS[sign])(found, count))
        said[name] = f"Actual: {found}, Expected: {count}, Score: {met}"
        if strict and not met:
            return 0.0, told | {justification_key: {name: said[name]}}
        held += met
    return held / len(expected), told | {justification_key: said}


def tool_calls_args_score(
    actual_tool_calls: list[ToolCall],
    expected_tool_calls: list[ToolCall],
    strict: bool = False,
    subset: bool = False,  # noqa: ARG001 -- theirs; it makes no difference there either
    justification_key: str = "explained_tool_calls_args",
) -> Scored:
    """The share of the expected calls that happened, each for itself."""
    told = {"expected": str(expected_tool_calls), "actual": str(actual_tool_calls)}
    if not actual_tool_calls or not expected_tool_calls:
        both = not actual_tool_calls and not expected_tool_calls
        return _score_nothing(told, justification_key, both, "")
    said: dict[str, str] = {}
    free, numbers = list(actual_tool_calls), Counter[str]()
    matched = 0
    for wanted in expected_tool_calls:
        for at, call in enumerate(free):
            if not _is_call(call, wanted):
                continue
            met = all(k in call.args and call.args[k] == v for k, v in wanted.args.items())
            said[f"{call.name}_{numbers[call.name]}"] = (
                f"Actual: {call.args}, Expected: {wanted.args}, Score: {float(met)}"
            )
            numbers[call.name] += 1
            if met:
                matched += 1
                del free[at]
                break
    share = matched / len(expected_tool_calls)
    return float(share == 1) if strict else share, told | {justification_key: said}


def tool_calls_output_score(
    actual_tool_calls_outputs: list[ToolOutput],
    expected_tool_calls_outputs: list[ToolOutput],
    strict: bool = False,
    justification_key: str = "explained_tool_calls_outputs",
) -> Scored:
    """The share of the expected outputs that a call of that tool had."""
    actual, expected = actual_tool_calls_outputs, expected_tool_calls_outputs
    told = {"expected": str(expected), "actual": str(actual)}
    if not actual or not expected:
        return _score_nothing(told, justification_key, not actual and not expected, " outputs")
    said: dict[str, str] = {}
    free, numbers = list(actual), Counter[str]()
    matched = 0
    for wanted in expected:
        at, last = _find_output(free, wanted, strict, said, numbers)
        if at is not None:
            matched += 1
            del free[at]
        elif strict:
            none = f"No matching actual tool call found for expected {wanted.name}"
            only = {last: said[last]} if last else {"_result": none}
            return 0.0, told | {justification_key: only}
    share = matched / len(expected)
    return float(share == 1) if strict else share, told | {justification_key: said}


def _find_output(
    free: list[ToolOutput],
    wanted: ToolOutput,
    strict: bool,
    said: dict[str, str],
    numbers: Counter[str],
) -> tuple[int | None, str]:
    """The place of a call that has the output, and the name of what was said last."""
    last = ""
    for at, call in enumerate(free):
        if not _is_call(call, wanted):
            continue
        met = call.output == wanted.output
        last = f"{call.name}_{numbers[call.name]}"
        numbers[call.name] += 1
        said[last] = f"Actual: {call.output}, Expected: {wanted.output}, Score: {float(met)}"
        if met or strict:
            return (at if met else None), last
    return None, last


def _score_nothing(told: dict[str, Any], key: str, both: bool, what: str) -> Scored:
    which = "Both expected and actual" if both else "Either expected or actual"
    return float(both), told | {key: {"_result": f"{which} tool calls{what} are empty"}}


def _sanitise(name: str | None) -> str:
    return _DROPPED.sub("", "_".join((name or "").split()))[:_LONGEST]


def _is_key(call: ToolCall, key: str) -> bool:
    """Compare by the id of the call if it has one, otherwise by the name."""
    return _sanitise(key) == _sanitise(call.name) if call.id is None else key == call.id


def _is_call(actual: ToolCall | ToolOutput, expected: ToolCall | ToolOutput) -> bool:
    if actual.id is None:
        return _sanitise(actual.name) == _sanitise(expected.name)
    return actual.id == (expected.name if expected.id is None else expected.id)
