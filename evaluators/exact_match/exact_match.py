"""The answer is exactly the expected one."""

import re
import unicodedata

from pydantic import BaseModel, ValidationError

from agentevals_evaluator_sdk import EvalInput, EvalResult, EvalStatus, evaluator

MOST_ISSUES = 20
SHOWN = 80  # characters
PUNCTUATION = re.compile(r"[^\w\s]")


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    expected: str | list[str] | None = None
    ignore_case: bool = False
    ignore_spaces: bool = False
    ignore_punctuation: bool = False


@evaluator
def exact_match(given: EvalInput) -> EvalResult:
    """The share of turns whose answer is one of the expected ones."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    answers = [turn.final_response or "" for turn in given.invocations]
    scores: list[float | None] = []
    issues = []
    wanted = list_expected(given, settings)
    for number, (answer, texts) in enumerate(zip(answers, wanted, strict=True), start=1):
        same = normalise(answer, settings) in {normalise(text, settings) for text in texts}
        scores.append(float(same) if texts else None)
        if texts and not same:
            issues.append(f"turn {number}: {answer[:SHOWN]!r} is not {texts[0][:SHOWN]!r}")
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


def normalise(text: str, settings: Settings) -> str:
    """The text without what does not count; spaces around it never do."""
    kept = unicodedata.normalize("NFC", text).strip()
    if settings.ignore_punctuation:
        kept = " ".join(PUNCTUATION.sub(" ", kept).split())
    if settings.ignore_spaces:
        kept = " ".join(kept.split())
    return kept.casefold() if settings.ignore_case else kept


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
    exact_match.run()
