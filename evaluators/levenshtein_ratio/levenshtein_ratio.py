"""How few letters would have to change for the answer to be the expected one."""

from itertools import takewhile

from pydantic import BaseModel, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
MOST_CHARACTERS = 50_000


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    expected: str | None = None
    ignore_case: bool = False
    ignore_spaces: bool = False


@evaluator
def levenshtein_ratio(given: EvalInput) -> EvalResult:
    """1 - distance / length of the longer text, the mean over all turns."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    answers = [turn.final_response or "" for turn in given.invocations]
    if not answers:
        return not_evaluated("there are no turns")
    expected = list_expected(given, settings, len(answers))
    if not any(text is not None for text in expected):
        return not_evaluated("nothing to compare with: set config.expected or use an eval set")
    scores = [
        None if text is None else ratio(fold(answer, settings), fold(text, settings))
        for answer, text in zip(answers, expected, strict=True)
    ]
    judged = [score for score in scores if score is not None]
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


def list_expected(given: EvalInput, settings: Settings, turns: int) -> list[str | None]:
    """The expected answer of each turn, None where there is none."""
    if settings.expected is not None:
        return [settings.expected] * turns
    goldens = [turn.final_response for turn in given.expected_invocations or []][:turns]
    return goldens + [None] * (turns - len(goldens))


def fold(text: str, settings: Settings) -> str:
    """The text without what does not matter."""
    text = text[:MOST_CHARACTERS]
    if settings.ignore_case:
        text = text.casefold()
    return "".join(text.split()) if settings.ignore_spaces else text


def ratio(one: str, other: str) -> float:
    """1 for equal texts, 0 for texts that have nothing in common."""
    longest = max(len(one), len(other))
    return 1 - distance(one, other) / longest if longest else 1.0


def distance(one: str, other: str) -> int:
    """Insertions, deletions and replacements, by the bit-parallel method of Myers and Hyyrö.

    A column of the usual table is two numbers: in which rows it grows, and in which it shrinks.
    """
    one, other = strip_common_ends(one, other)
    if not one or not other:
        return len(one) + len(other)
    rows, last = (1 << len(one)) - 1, 1 << (len(one) - 1)
    places: dict[str, int] = {}
    for row, letter in enumerate(one):
        places[letter] = places.get(letter, 0) | 1 << row
    grows, shrinks, result = rows, 0, len(one)
    for letter in other:
        same = places.get(letter, 0)
        diagonal = (((same & grows) + grows) ^ grows) | same | shrinks
        right_grows = shrinks | ~(diagonal | grows) & rows
        right_shrinks = grows & diagonal
        result += bool(right_grows & last) - bool(right_shrinks & last)
        right_grows = right_grows << 1 | 1
        grows = (right_shrinks << 1 | ~(diagonal | right_grows)) & rows
        shrinks = right_grows & diagonal & rows
    return result


def strip_common_ends(one: str, other: str) -> tuple[str, str]:
    """Strip the letters that both begin and end with."""
    start = count_same_letters(one, other)
    one, other = one[start:], other[start:]
    end = count_same_letters(one[::-1], other[::-1])
    return one[: len(one) - end], other[: len(other) - end]


def count_same_letters(one: str, other: str) -> int:
    """Count the letters that are the same from the start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


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
    levenshtein_ratio.run()
