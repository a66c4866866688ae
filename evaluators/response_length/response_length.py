"""The answer is neither too short nor too long, in characters, words or sentences."""

import re
from collections.abc import Iterator
from typing import Self

from pydantic import BaseModel, NonNegativeInt, ValidationError, model_validator

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
# `1,000` and `3.5` are one word
WORD = re.compile("\\w+(?:(?:['\u2019-]|(?<=\\d)[.,](?=\\d))\\w+)*")
# what goes on in lower case is the same sentence
SENTENCE_END = re.compile(
    '[.!?]+["\u201c\u201d\u2019\u00bb)]?(?=\\s+[^a-z\\s]|\\s*$)|[\u3002\uff01\uff1f]+'
)
ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:(?i:dr|mr|mrs|ms|prof|st|nr|hr|fr|mme|sr|sra|vs|bzw)|[A-Z])\.\Z"
)


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    min_characters: NonNegativeInt | None = None
    max_characters: NonNegativeInt | None = None
    min_words: NonNegativeInt | None = None
    max_words: NonNegativeInt | None = None
    min_sentences: NonNegativeInt | None = None
    max_sentences: NonNegativeInt | None = None

    @model_validator(mode="after")
    def _has_a_limit(self) -> Self:
        if not self.model_dump(exclude_none=True):
            msg = f"give one of {', '.join(type(self).model_fields)}"
            raise ValueError(msg)
        return self


@evaluator
def response_length(given: EvalInput) -> EvalResult:
    """Score how near each answer comes to its limits; 1 when it keeps them all."""
    try:
        limits = Settings.model_validate(given.config).model_dump(exclude_none=True)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    if not given.invocations:
        return not_evaluated("there are no turns")
    scores, issues = [], []
    for number, turn in enumerate(given.invocations, start=1):
        misses = list(find_misses(measure((turn.final_response or "").strip()), limits))
        scores.append(min((share for share, _ in misses), default=1.0))
        issues += [f"turn {number}: {what}" for _, what in misses]
    return EvalResult(
        score=sum(scores) / len(scores),
        per_invocation_scores=scores,
        details={"issues": issues[:MOST_ISSUES]},
    )


def measure(answer: str) -> dict[str, int]:
    """Measure the length in every unit."""
    return {
        "characters": len(answer),
        "words": sum(1 for _ in WORD.finditer(answer)),
        "sentences": sum(1 for part in split_sentences(answer) if WORD.search(part)),
    }


def find_misses(lengths: dict[str, int], limits: dict[str, int]) -> Iterator[tuple[float, str]]:
    """Yield every limit that is not kept, with the share of it that is."""
    for name, limit in limits.items():
        bound, _, unit = name.partition("_")
        length = lengths[unit]
        if bound == "min" and length < limit:
            yield length / limit, f"{length} {unit}, at least {limit} were asked for"
        if bound == "max" and length > limit:
            yield limit / length, f"{length} {unit}, at most {limit} were asked for"


def split_sentences(answer: str) -> list[str]:
    """Split a text behind its sentences; a title or an initial ends none."""
    ends = [found.end() for found in SENTENCE_END.finditer(answer)]
    cuts = [0, *(at for at in ends if not ABBREVIATED.search(answer[max(0, at - 8) : at]))]
    return [answer[at:end] for at, end in zip(cuts, [*cuts[1:], len(answer)], strict=True)]


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
    response_length.run()
