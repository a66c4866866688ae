"""The tools were called with the right arguments."""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, ToolCallData, evaluator

MOST_ISSUES = 20
LONGEST_QUOTE = 80


class Wanted(BaseModel, extra="forbid", strict=True):
    """One call that should have been made."""

    name: str = Field(min_length=1)
    args: dict[str, Any] = {}


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    expected: list[Wanted] | None = None
    match: Literal["subset", "exact"] = "subset"
    ignore_case: bool = False


@evaluator
def tool_arguments(given: EvalInput) -> EvalResult:
    """The share of expected arguments that a call of the same tool has, call by call."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    wanted = settings.expected
    if wanted is None:
        calls = list_calls(given.expected_invocations or [])
        wanted = [Wanted(name=call.name, args=call.args) for call in calls if call.name]
    if not wanted:
        return not_evaluated("no call is expected: set config.expected or use an eval set")
    left = list_calls(given.invocations)
    scores, issues = [], []
    for number, call in enumerate(wanted, start=1):
        score, issue = claim_call(call, left, settings)
        scores.append(score)
        if issue:
            issues.append(f"call {number}: {issue}")
    return EvalResult(
        score=sum(scores) / len(scores),
        details={"scores_of_calls": scores[:MOST_ISSUES], "issues": issues[:MOST_ISSUES]},
    )


def list_calls(turns: Iterable[Any]) -> list[ToolCallData]:
    """Every call of a conversation, in order."""
    return [call for turn in turns for call in turn.intermediate_steps.tool_calls]


def claim_call(call: Wanted, left: list[ToolCallData], settings: Settings) -> tuple[float, str]:
    """Score the best call that nothing else was matched with, and take it out of `left`."""
    best, place, issue = -1.0, -1, f"{call.name} was not called (again)"
    for number, made in enumerate(left):
        if made.name != call.name:
            continue
        score, wrong = compare_arguments(call.args, made.args, settings)
        if score > best:
            best, place, issue = score, number, wrong
        if best == 1:
            break
    if place < 0:
        return 0.0, issue
    del left[place]
    return best, issue


def compare_arguments(
    wanted: dict[str, Any], made: dict[str, Any], settings: Settings
) -> tuple[float, str]:
    """Return the share of right arguments, and the first mistake."""
    names = wanted.keys() | made.keys() if settings.match == "exact" else wanted.keys()
    wrong = sorted(
        name
        for name in names
        if name not in wanted
        or name not in made
        or not same(wanted[name], made[name], settings.ignore_case)
    )
    if not wrong:
        return 1.0, ""
    first = wrong[0]
    was, should = (show(args, first) for args in (made, wanted))
    return 1 - len(wrong) / len(names), f"{first} is {was}, expected was {should}"


def same(one: Any, other: Any, ignore_case: bool) -> bool:
    """Equal as JSON: 1 is 1.0, and true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same(one[name], other[name], ignore_case) for name in one
        )
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same(*pair, ignore_case) for pair in pairs)
    if isinstance(one, str) and isinstance(other, str) and ignore_case:
        return one.casefold() == other.casefold()
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def show(args: dict[str, Any], name: str) -> str:
    """An argument, cut where it becomes long."""
    text = repr(args[name]) if name in args else "missing"
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def not_evaluated(reason: str) -> EvalResult:
    """Nothing was judged, and why."""
    status = EvalStatus.NOT_EVALUATED
    return EvalResult(score=0.0, status=status, details={"reason": reason})


def complaint(error: ValidationError) -> str:
    """Everything that is wrong with the config, in one line."""
    return "; ".join(
        ".".join(["config", *map(str, each["loc"])])
        + f": {each['msg'].removeprefix('Value error, ')}"
        for each in error.errors()
    )


if __name__ == "__main__":
    tool_arguments.run()
