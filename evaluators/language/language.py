"""The agent answers in the language it should: a certain one, or the user's own."""

from typing import Self

from detection import LANGUAGES, detect_language
from pydantic import BaseModel, ValidationError, model_validator

from agentevals_evaluator_sdk import (
    EvalInput,
    EvalResult,
    EvalStatus,
    InvocationData,
    evaluator,
)

MOST_ISSUES = 20


class Settings(BaseModel, extra="forbid", strict=True):
    """The settings of a config."""

    language: str | list[str] | None = None
    same_as_user: bool = False

    @model_validator(mode="after")
    def _says_which(self) -> Self:
        if unknown := self.wanted - LANGUAGES:
            msg = f"unknown {', '.join(sorted(unknown))}; known are {', '.join(sorted(LANGUAGES))}"
            raise ValueError(msg)
        if not self.wanted and not self.same_as_user:
            msg = "give language or same_as_user"
            raise ValueError(msg)
        return self

    @property
    def wanted(self) -> set[str]:
        """The languages that are right."""
        return {self.language} if isinstance(self.language, str) else set(self.language or [])


@evaluator
def language(given: EvalInput) -> EvalResult:
    """One point for every turn in a right language; what is too short to tell is not judged."""
    try:
        settings = Settings.model_validate(given.config)
    except ValidationError as error:
        return not_evaluated(complaint(error))
    scores: list[float | None] = []
    issues, languages = [], []
    for number, turn in enumerate(given.invocations, start=1):
        found, wanted = detect_language(turn.final_response or ""), list_expected(turn, settings)
        scores.append(float(found in wanted) if found and wanted else None)
        languages.append(found)
        if scores[-1] == 0:
            issues.append(f"turn {number}: is in {found}, not in {' or '.join(sorted(wanted))}")
    judged = [score for score in scores if score is not None]
    if not judged:
        return not_evaluated("no turn is long enough to tell its language")
    return EvalResult(
        score=sum(judged) / len(judged),
        per_invocation_scores=scores,
        details={"languages": languages[:MOST_ISSUES], "issues": issues[:MOST_ISSUES]},
    )


def list_expected(turn: InvocationData, settings: Settings) -> set[str]:
    """List the languages that are right in one turn."""
    own = detect_language(turn.user_content) if settings.same_as_user else None
    return settings.wanted | ({own} if own else set())


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
    language.run()
