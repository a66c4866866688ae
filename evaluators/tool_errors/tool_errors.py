"""The tools work, and the agent makes up for what fails."""

import json
import re
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, InvocationData, evaluator

MOST_ISSUES = 20
FAILED = {"error", "failed", "failure", "exception", "timeout"}
SAID = re.compile(
    r"\s*(?:(?:Unhandled |Fatal )?(?:[A-Z]\w*)?(?:Error|Exception)\b\s*:|error:"
    r"|(?i:error) (?:calling|executing|invoking|running|fetching|reading|writing|opening|loading"
    r"|parsing|processing|querying|sending|connecting|during|while|in)\b[^\n:]{1,80}:"
    r"|Traceback \(most recent call last\))"
)
SHOWN = 80  # characters


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    recovery: Literal["same_tool", "any", "none"] = "same_tool"
    max_errors: int | None = Field(default=None, ge=0)
    ignore: list[str] = []


@evaluator
def tool_errors(given: EvalInput) -> EvalResult:
    """The share of calls that worked, or that a later call made up for."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    calls = [
        call
        for turn in given.invocations
        for call in list_calls(turn)
        if not any(fnmatchcase(call.name, pattern) for pattern in settings.ignore)
    ]
    if not calls:
        return not_evaluated("no tool was called")
    failed = [call for call in calls if call.error]
    lost = [
        call
        for at, call in enumerate(calls)
        if call.error and not is_recovered(call, calls[at + 1 :], settings)
    ]
    too_many = settings.max_errors is not None and len(failed) > settings.max_errors
    issues = [f"{call.name}: {call.error[:SHOWN]}" for call in lost]
    if too_many:
        issues.insert(0, f"{len(failed)} calls failed, {settings.max_errors} may")
    return EvalResult(
        score=1 - len(failed if too_many else lost) / len(calls),
        status=EvalStatus.FAILED if issues else EvalStatus.PASSED,
        details={"errors": len(failed), "issues": issues[:MOST_ISSUES]},
    )


class Call(NamedTuple):
    """A call, and how it failed; "" where it did not."""

    name: str
    error: str


def list_calls(turn: InvocationData) -> list[Call]:
    """The answered calls of a turn; a call that was not recorded as answered is no error."""
    return [
        Call(answer.name, find_error(answer.status, answer.output, answer.response))
        for answer in turn.intermediate_steps.tool_responses
    ]


def find_error(status: str | None, output: str, response: Any) -> str:
    """Return what tells that the call failed; "" for nothing."""
    if status and status.casefold() in FAILED:
        return output or status
    if isinstance(response, dict) or output.lstrip().startswith("{"):
        return find_in_object(response if isinstance(response, dict) else parse(output))
    return output.strip() if SAID.match(output) else ""


def parse(output: str) -> dict[str, Any]:
    """Return an object that was recorded as text."""
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def find_in_object(response: dict[str, Any]) -> str:
    """Return the error that an object tells of, by the keys that tools use for it."""
    for key in ("error", "errors", "exception"):
        if value := response.get(key):
            return str(value)
    status = response.get("status")
    if isinstance(status, str) and status.casefold() in FAILED:
        return str(response.get("message") or status)
    wrong = response.get("isError") is True or response.get("is_error") is True
    if wrong or response.get("success") is False or response.get("ok") is False:
        return str(response.get("message") or response.get("content") or "it did not succeed")
    return ""


def is_recovered(call: Call, later: list[Call], settings: Settings) -> bool:
    """Return whether a later call worked: of the same tool, or of any."""
    if settings.recovery == "none":
        return False
    return any(
        not one.error and (settings.recovery == "any" or one.name == call.name) for one in later
    )


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
    tool_errors.run()
