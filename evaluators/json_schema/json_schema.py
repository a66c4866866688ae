"""The answer is JSON that a JSON Schema describes."""

import json
import re
from itertools import islice
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from supported import check
from validation import SchemaError, misses

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(.*?)\n?```\s*", re.DOTALL)


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    wanted: dict[str, Any] | bool = Field(alias="schema")
    fenced: bool = False


@evaluator
def json_schema(given: EvalInput) -> EvalResult:
    """One point for every turn whose answer is as the schema describes it."""
    try:
        settings = Settings.model_validate(given.config)
        check(settings.wanted)
        found = [find_misses(turn.final_response or "", settings) for turn in given.invocations]
    except ValidationError as error:
        return not_evaluated(complaint(error))
    except SchemaError as error:
        return not_evaluated(f"config.schema: {error}")
    except RecursionError:
        return not_evaluated("config.schema: refers to itself without an end")
    if not found:
        return not_evaluated("there are no turns")
    scores = [0.0 if misses else 1.0 for misses in found]
    issues = [f"turn {n}: {miss}" for n, misses in enumerate(found, 1) for miss in misses]
    return EvalResult(
        score=sum(scores) / len(scores),
        per_invocation_scores=scores,
        details={"issues": issues[:MOST_ISSUES]},
    )


def find_misses(answer: str, settings: Settings) -> list[str]:
    """List what is wrong with one answer."""
    fence = FENCED.fullmatch(answer) if settings.fenced else None
    try:
        value = json.loads(fence[1] if fence else answer, parse_constant=no_constant)
    except ValueError as error:
        return [f"the answer is not JSON: {error}"]
    except RecursionError:
        return ["the answer is nested too deeply"]
    wrong = misses(value, settings.wanted)
    return [f"{where or 'the answer'} {what}" for where, what in islice(wrong, MOST_ISSUES)]


def no_constant(name: str) -> None:
    """Python reads NaN and Infinity, which are not JSON."""
    msg = f"{name} is not a value"
    raise ValueError(msg)


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
    json_schema.run()
