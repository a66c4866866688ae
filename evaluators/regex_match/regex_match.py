"""The answer matches a regular expression, or stays clear of one."""

import re
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    pattern: str = Field(min_length=1)
    whole: bool = False
    negate: bool = False
    ignore_case: bool = False
    multiline: bool = False
    turns: Literal["each", "any", "last"] = "each"


@evaluator
def regex_match(given: EvalInput) -> EvalResult:
    """One point for every turn whose answer is as the pattern wants it."""
    try:
        settings = Settings.model_validate(given.config)
        pattern = compile_pattern(settings)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    except re.error as error:
        return not_evaluated(f"config.pattern: not a regular expression: {error}")
    answers = [turn.final_response or "" for turn in given.invocations]
    if not answers:
        return not_evaluated("there are no turns")
    found = pattern.fullmatch if settings.whole else pattern.search
    scores = [float((found(answer) is None) == settings.negate) for answer in answers]
    what = "matches" if settings.negate else "does not match"
    misses = [f"turn {n}: {what} the pattern" for n, score in enumerate(scores, 1) if not score]
    score = total(scores, settings.turns)
    return EvalResult(
        score=score,
        per_invocation_scores=scores,
        details={
            "pattern": settings.pattern,
            "issues": misses[:MOST_ISSUES] if score < 1 else [],
        },
    )


def compile_pattern(settings: Settings) -> re.Pattern[str]:
    """The pattern with its flags."""
    flags = re.IGNORECASE if settings.ignore_case else re.NOFLAG
    return re.compile(settings.pattern, flags | (re.MULTILINE if settings.multiline else 0))


def total(scores: list[float], turns: str) -> float:
    """Add up the scores of the turns."""
    if turns == "any":
        return max(scores)
    return scores[-1] if turns == "last" else sum(scores) / len(scores)


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
    regex_match.run()
