"""The agent does not say the same again, within an answer or from turn to turn."""

import re
from collections import Counter

from pydantic import BaseModel, Field, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
MOST_WORDS = 200_000
LONGEST_QUOTE = 80
CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
WORD = re.compile(r"\w+")


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    words: int = Field(default=6, ge=2, le=50)
    across_turns: bool = True


@evaluator
def no_repetition(given: EvalInput) -> EvalResult:
    """The share of word groups that are said for the first time, the mean over all turns."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    scores: list[float | None] = []
    issues = []
    before: Counter[str] = Counter()
    for number, turn in enumerate(given.invocations, start=1):
        groups = word_groups(turn.final_response or "", settings.words)
        seen = before if settings.across_turns else Counter()
        repeated = [group for group in groups if is_repeated(group, seen)]
        scores.append(1 - len(repeated) / len(groups) if groups else None)
        issues += [f"turn {number}: {group[:LONGEST_QUOTE]!r} again" for group in repeated[:1]]
    judged = [score for score in scores if score is not None]
    if not judged:
        return not_evaluated(f"no answer has {settings.words} words")
    return EvalResult(
        score=sum(judged) / len(judged),
        per_invocation_scores=scores,
        details={"issues": issues[:MOST_ISSUES]},
    )


def is_repeated(group: str, seen: Counter[str]) -> bool:
    """Return whether this was said already, and remember it."""
    seen[group] += 1
    return seen[group] > 1


def word_groups(answer: str, size: int) -> list[str]:
    """Every so many words that follow each other; code may repeat itself."""
    prose = CODE.sub(" ", answer)
    found = (match.group().casefold() for match in WORD.finditer(prose))
    words = [word for word, _ in zip(found, range(MOST_WORDS), strict=False)]
    return [" ".join(words[start : start + size]) for start in range(len(words) - size + 1)]


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
    no_repetition.run()
