"""How similar the answer is to the expected one, as the angle between two vectors of their words.

A word is the sum of its hashed letter groups, as in fastText: words with a common stem are near
each other, in every language, and nothing has to be downloaded.
"""

import re
from collections import Counter
from collections.abc import Iterator
from math import log1p, sqrt
from zlib import crc32

from pydantic import BaseModel, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
MOST_WORDS = 20_000
DIMENSIONS = 1 << 18
GROUP_LENGTHS = (3, 4)
SHORT_WORD = 3  # and shorter ones are mostly grammar, which says little about the meaning
SHORT_WORD_WEIGHT = 0.25
WORD = re.compile(r"\w+")
# French "ne … pas" counts once, by its second word
NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nothing|nobody|nowhere|without|cannot|\w+n't"
    r"|nicht|kein\w*|nie|niemals|nichts|niemand|ohne"
    r"|pas|jamais|rien|aucune?|sans|nunca|jamás|nada|nadie|ninguno?a?|ningún|sin"
    r"|non(?!-)|niente|nessun[oa]?|senza|niet|geen|nooit|não|nem|sem)\b"
)

Vector = dict[int, float]


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    expected: str | list[str] | None = None


@evaluator
def similarity(given: EvalInput) -> EvalResult:
    """The cosine to the nearest expected answer, the mean over all turns."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    answers = [turn.final_response or "" for turn in given.invocations]
    if not answers:
        return not_evaluated("there are no turns")
    scores = [
        max((compare(answer, text) for text in texts), default=None)
        for answer, texts in zip(answers, list_expected(given, settings), strict=True)
    ]
    judged = [score for score in scores if score is not None]
    if not judged:
        return not_evaluated("nothing to compare with: set config.expected or use an eval set")
    unlike = [
        f"turn {number}: {score:.0%} as expected"
        for number, score in enumerate(scores, start=1)
        if score is not None and score < 1
    ]
    return EvalResult(
        score=sum(judged) / len(judged),
        per_invocation_scores=scores,
        details={"issues": unlike[:MOST_ISSUES]},
    )


def list_expected(given: EvalInput, settings: Settings) -> list[list[str]]:
    """The expected answers of each turn; those without a word cannot be compared with."""
    turns = len(given.invocations)
    if settings.expected is not None:
        one = settings.expected
        every = [one] if isinstance(one, str) else one
        return [[text for text in every if WORD.search(text)]] * turns
    goldens = [turn.final_response or "" for turn in given.expected_invocations or []][:turns]
    texts = [[text] if WORD.search(text) else [] for text in goldens]
    return texts + [[] for _ in range(turns - len(texts))]


def compare(answer: str, text: str) -> float:
    """The cosine; at most half of it where one of the two denies what the other says."""
    near = cosine(vector(answer), vector(text))
    return near if is_negated(answer) == is_negated(text) else near / 2


def is_negated(text: str) -> bool:
    """Return whether the words that deny are odd in number: no, not, nicht, pas, nunca, non …"""
    folded = text.casefold().replace("\u2019", "'")
    return len(NEGATION.findall(folded)) % 2 == 1


def vector(text: str) -> Vector:
    """The sum of the words, each the less heavy the more often it was there already."""
    found = (match.group().casefold() for match in WORD.finditer(text))
    counts = Counter(word for word, _ in zip(found, range(MOST_WORDS), strict=False))
    result: Vector = {}
    for word, count in counts.items():
        weight = log1p(count) * (SHORT_WORD_WEIGHT if len(word) <= SHORT_WORD else 1)
        groups = list(letter_groups(f"<{word}>"))
        for group in groups:
            place = crc32(group.encode(errors="replace")) % DIMENSIONS
            result[place] = result.get(place, 0) + weight / sqrt(len(groups))
    return result


def letter_groups(word: str) -> Iterator[str]:
    """The word itself, and every group of three or four letters in it."""
    yield word
    for length in GROUP_LENGTHS:
        yield from (word[start : start + length] for start in range(len(word) - length + 1))


def cosine(one: Vector, other: Vector) -> float:
    """1 for the same direction, 0 for nothing in common."""
    if one == other:
        return 1.0
    common = sum(weight * other[place] for place, weight in one.items() if place in other)
    return min(1.0, common / (length(one) * length(other))) if common else 0.0


def length(of: Vector) -> float:
    """Return the length of a vector."""
    return sqrt(sum(weight * weight for weight in of.values()))


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
    similarity.run()
