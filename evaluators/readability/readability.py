"""The answer is easy to read: by LIX in any language that is written in letters, or by grade."""

import re
from typing import Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
LONG_WORD = 7  # letters, as LIX counts them
CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
WORD = re.compile("[^\\W\\d_]+(?:['\u2019-][^\\W\\d_]+)*")
SENTENCE_END = re.compile(r"[.!?:]+(?=\s|$)|\n\s*\n")
VOWELS = re.compile(r"[aeiouy]+")


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    max_lix: float | None = Field(default=None, gt=0)
    max_grade: float | None = Field(default=None, gt=0)
    min_words: int = Field(default=10, ge=1)

    @model_validator(mode="after")
    def _has_a_limit(self) -> Self:
        if self.max_lix is None and self.max_grade is None:
            msg = "give max_lix or max_grade"
            raise ValueError(msg)
        return self


@evaluator
def readability(given: EvalInput) -> EvalResult:
    """1 for every answer within the limits, less the harder it is; short ones are not judged."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    scores: list[float | None] = []
    issues: list[str] = []
    for number, turn in enumerate(given.invocations, start=1):
        words, sentences = parts(turn.final_response or "")
        if len(words) < settings.min_words:
            scores.append(None)
            continue
        over = [each for each in measure(words, sentences, settings) if each[1] > each[2]]
        scores.append(min((limit / value for _, value, limit in over), default=1.0))
        issues += [
            f"turn {number}: {name} {value:.1f}, over {limit:g}" for name, value, limit in over
        ]
    judged = [score for score in scores if score is not None]
    if not judged:
        return not_evaluated(f"no answer has {settings.min_words} words")
    return EvalResult(
        score=sum(judged) / len(judged),
        per_invocation_scores=scores,
        details={"issues": issues[:MOST_ISSUES]},
    )


def parts(answer: str) -> tuple[list[str], int]:
    """The words, and how many sentences they make; code is not prose."""
    prose = CODE.sub(" ", answer)
    sentences = sum(1 for part in SENTENCE_END.split(prose) if WORD.search(part))
    return WORD.findall(prose), max(1, sentences)


def measure(words: list[str], sentences: int, settings: Settings) -> list[tuple[str, float, float]]:
    """Every measure that has a limit: its name, what was found, what is allowed."""
    found = []
    per_sentence = len(words) / sentences
    if settings.max_lix is not None:
        long = sum(len(word) >= LONG_WORD for word in words)
        found.append(("LIX", per_sentence + 100 * long / len(words), settings.max_lix))
    if settings.max_grade is not None:
        per_word = sum(map(syllables, words)) / len(words)
        grade = 0.39 * per_sentence + 11.8 * per_word - 15.59  # Flesch and Kincaid
        found.append(("grade", grade, settings.max_grade))
    return found


def syllables(word: str) -> int:
    """As English is spoken, roughly: groups of vowels, without a silent e at the end."""
    lower = word.lower()
    groups = len(VOWELS.findall(lower))
    silent = lower.endswith("e") and not lower.endswith(("le", "ee")) and groups > 1
    return max(1, groups - silent)


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
    readability.run()
