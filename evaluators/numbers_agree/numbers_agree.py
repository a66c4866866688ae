"""The numbers of the answer are right: those that were expected, or those that the tools gave."""

import re
from math import isclose
from typing import Literal, NamedTuple

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
NUMBER = re.compile(
    r"(?<![\w.,])[-+\u2212]?\d(?:[\d.,'\u00a0\u202f]| (?=\d{3}(?!\d))){0,40}(?:[eE][-+]?\d{1,3})?"
)
# "1. Paris", "2) Rome": a number that counts the lines says nothing
ORDINAL = re.compile(r"^[ \t>*-]*\d{1,3}[.)](?=[ \t])", re.MULTILINE)
SCALED = re.compile(
    r"[ \u00a0\u202f]?(?:(thousand|tausend|mille|mila|mil|k)|(millions?|millionen|millones|millón"
    r"|milioni|milione|mio\.?|(?-i:M))|(billions?|bn|milliards?|milliarden|miliardi|mrd\.?)"
    r"|(%|percent|prozent|per cent|pour cent|por ciento|per cento))(?!\w)",
    re.IGNORECASE,
)
# "40 below zero", "a loss of 40": the sign is said in words
NEGATIVE = re.compile(
    r"\b(?:below|minus|negative|loss|lost|deficit|unter|minus|verlust|moins|perte|bajo|menos"
    r"|pérdida|sotto|meno|perdita)\b",
    re.IGNORECASE,
)
NEARBY = 25  # characters
DATE_AND_TIME = re.compile(r"(?<=\d)T(?=\d\d:)")
SCALES = (1e3, 1e6, 1e9, 0.01)
PLAIN = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
THOUSANDS = re.compile(r"([-+]?\d{1,3}(?:,\d{3})+)(?:\.\d+)?")


class Reading(NamedTuple):
    """A number, and by how much it may have been rounded when it was written."""

    value: float
    half_step: float


Readings = frozenset[Reading]  # "1.234" is one number here and another there


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
    plain = ORDINAL.sub(lambda ordinal: " " * len(ordinal.group()), text)
    plain = DATE_AND_TIME.sub(" ", plain)
    for match in NUMBER.finditer(plain):
        written = match.group().rstrip(".,' \u00a0\u202f")
        start, end = match.start(), match.start() + len(written)
        meant = readings(written)
        meant |= scale_readings(meant, plain[end : end + NEARBY])
        if NEGATIVE.search(plain[max(0, start - NEARBY) : end + NEARBY]):
            meant |= {Reading(-one.value, one.half_step) for one in meant}
        if meant:
            found[written] = found.get(written, frozenset()) | meant
        if len(found) == MOST_NUMBERS:
            break
    return found


def readings(written: str) -> Readings:
    """`1,234.5` and `1.234,5` are the same number; `1.234` is one of two."""
    bare = re.sub("['\u00a0\u202f ]", "", written).replace("\u2212", "-")
    swapped = bare.translate(str.maketrans(",.", ".,"))
    return frozenset(
        Reading(float(text.replace(",", "")), half_step(text))
        for text in (bare, swapped)
        if PLAIN.fullmatch(text) or THOUSANDS.fullmatch(text)
    )


def half_step(text: str) -> float:
    """Half of the last place that is written: 20.9 may be said as 21, and 12.3456 as 12.3."""
    places = len(text.partition(".")[2])
    return 0.0 if "e" in text.lower() else 0.5 * 10.0**-places


def scale_readings(meant: Readings, after: str) -> Readings:
    """The number times the word behind it: 2.1 million, 45 %."""
    found = SCALED.match(after)
    if not found or after[found.end() : found.end() + 1].isdigit():
        return frozenset()
    scale = SCALES[next(at for at, group in enumerate(found.groups()) if group)]
    return frozenset(Reading(one.value * scale, one.half_step * scale) for one in meant)


def is_among(one: Readings, there: list[Readings], settings: Settings) -> bool:
    """Return whether some number there can mean the same."""
    return any(
        agrees(mine, theirs, settings) for other in there for mine in one for theirs in other
    )


def agrees(mine: Reading, theirs: Reading, settings: Settings) -> bool:
    """Return whether both are the same number, or what is said rounds what the tool gave."""
    if isclose(mine.value, theirs.value, rel_tol=settings.tolerance):
        return True
    rounds = settings.against == "tools" and theirs.half_step < mine.half_step
    return rounds and isclose(mine.value, theirs.value, abs_tol=mine.half_step * (1 + 1e-9))


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
