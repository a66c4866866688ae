"""How many words the answer shares with the expected one: F1, as SQuAD counts it."""

import re
import unicodedata
from collections import Counter

from pydantic import BaseModel, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
# letters that are written without spaces are words of their own
ALONE = "\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f"
WORD = re.compile(rf"[{ALONE}]|[^\W{ALONE}]+")
MOST_WORDS = 20_000


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    expected: str | list[str] | None = None
    ignore: list[str] = ["a", "an", "the"]


@evaluator
def token_f1(given: EvalInput) -> EvalResult:
    """The harmonic mean of precision and recall of words, the mean over all turns."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    answers = [turn.final_response or "" for turn in given.invocations]
    scores = [
        max((compare(count(answer, settings), words) for words in expected), default=None)
        for answer, expected in zip(answers, list_words(given, settings), strict=True)
    ]
    issues = [
        f"turn {number}: F1 {score:.2f}"
        for number, score in enumerate(scores, start=1)
        if score is not None and score < 1
    ]
    judged = [score for score in scores if score is not None]
    if not judged:
        return not_evaluated("nothing to compare with: set config.expected or use an eval set")
    return EvalResult(
        score=sum(judged) / len(judged),
        per_invocation_scores=scores,
        details={"issues": issues[:MOST_ISSUES]},
    )


def list_expected(given: EvalInput, settings: Settings) -> list[list[str]]:
    """The expected answers of each turn."""
    turns = len(given.invocations)
    if settings.expected is not None:
        one = settings.expected
        return [[one] if isinstance(one, str) else one] * turns
    goldens = [turn.final_response for turn in given.expected_invocations or []][:turns]
    texts = [[] if text is None else [text] for text in goldens]
    return texts + [[] for _ in range(turns - len(texts))]


def list_words(given: EvalInput, settings: Settings) -> list[list[Counter[str]]]:
    """The words of each expected answer; without any there is nothing to compare with."""
    every = list_expected(given, settings)
    return [[words for text in texts if (words := count(text, settings))] for texts in every]


def count(text: str, settings: Settings) -> Counter[str]:
    """The words of a text, in any case; an article alone is a word as well."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [
        match.group() for match, _ in zip(WORD.finditer(folded), range(MOST_WORDS), strict=False)
    ]
    return Counter(word for word in words if word not in settings.ignore) or Counter(words)


def compare(one: Counter[str], other: Counter[str]) -> float:
    """Twice the shared words, as a share of all words of both."""
    return 2 * (one & other).total() / (one.total() + other.total())


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
    token_f1.run()
