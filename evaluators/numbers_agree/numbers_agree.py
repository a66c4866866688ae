"""The numbers of the answer are right: those that were expected, or those that the tools gave."""

import re
from math import isclose
from typing import Literal

from pydantic import BaseModel, Field, ValidationError

from agentevals_evaluator_sdk import (
    EvalInput,
    EvalResult,
    EvalStatus,
    InvocationData,
    evaluator,
)

MOST_ISSUES = 20
MOST_NUMBERS = 500
NUMBER = re.compile(r"(?<![\w.,])[-+\u2212]?\d[\d.,'\u00a0\u202f]{0,40}(?:[eE][-+]?\d{1,3})?")
PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
THOUSANDS = re.compile(r"([-+]?\d{1,3}(?:,\d{3})+)(?:\.\d+)?")

Readings = frozenset[float]  # "1.234" is one number here and another there


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    against: Literal["expected", "tools"] = "expected"
    expected: str | None = None
    tolerance: float = Field(default=0.0, ge=0, le=1)


@evaluator
def numbers_agree(given: EvalInput) -> EvalResult:
    """The share of numbers that are right, the mean over all turns that have any."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    scores: list[float | None] = []
    issues = []
    for number, turn in enumerate(given.invocations):
        wanted, there, what = choose_numbers(settings, turn, golden(given, settings, number))
        misses = [text for text, one in wanted.items() if not is_among(one, there, settings)]
        scores.append(1 - len(misses) / len(wanted) if wanted else None)
        issues += [f"turn {number + 1}: {text} {what}" for text in misses]
    judged = [score for score in scores if score is not None]
    if not judged:
        return not_evaluated(f"no numbers to compare (against: {settings.against})")
    return EvalResult(
        score=sum(judged) / len(judged),
        per_invocation_scores=scores,
        details={"issues": issues[:MOST_ISSUES]},
    )


def golden(given: EvalInput, settings: Settings, number: int) -> str:
    """The expected answer of one turn."""
    if settings.expected is not None:
        return settings.expected
    turns = given.expected_invocations or []
    return turns[number].final_response or "" if number < len(turns) else ""


def choose_numbers(
    settings: Settings, turn: InvocationData, expected: str
) -> tuple[dict[str, Readings], list[Readings], str]:
    """Choose the numbers to look for, where, and the words for a miss."""
    answered = numbers(turn.final_response or "")
    if settings.against == "expected":
        return numbers(expected), list(answered.values()), "is not in the answer"
    outputs = (response.output for response in turn.intermediate_steps.tool_responses)
    known = numbers("\n".join([turn.user_content, *outputs]))
    return answered, list(known.values()), "comes from no tool"


def numbers(text: str) -> dict[str, Readings]:
    """The numbers of a text as they are written, with what they can mean."""
    found: dict[str, Readings] = {}
    for match in NUMBER.finditer(text):
        written = match.group().rstrip(".,'\u00a0\u202f")
        meant = readings(written)
        if meant:
            found[written] = meant
        if len(found) == MOST_NUMBERS:
            break
    return found


def readings(written: str) -> Readings:
    """`1,234.5` and `1.234,5` are the same number; `1.234` is one of two."""
    bare = re.sub("['\u00a0\u202f]", "", written).replace("\u2212", "-")
    swapped = bare.translate(str.maketrans(",.", ".,"))
    return frozenset(
        float(text.replace(",", ""))
        for text in (bare, swapped)
        if PLAIN.fullmatch(text) or THOUSANDS.fullmatch(text)
    )


def is_among(one: Readings, there: list[Readings], settings: Settings) -> bool:
    """Return whether some number there can mean the same."""
    return any(
        isclose(mine, theirs, rel_tol=settings.tolerance)
        for other in there
        for mine in one
        for theirs in other
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
    numbers_agree.run()
