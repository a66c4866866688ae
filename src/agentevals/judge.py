"""Asking a language model for an opinion: what a grader may ask, and how it is set up."""

from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from agentevals.errors import EvaluatorError


class JudgeSettings(BaseModel):
    """Where the judge is reached, and what it may cost. STAND-IN: the judge's owner fills it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Judge(Protocol):
    """Anything that answers a question with a JSON object that fits a schema."""

    def ask(
        self, prompt: str, *, schema: dict[str, Any], model: str | None = None, sample: int = 0
    ) -> dict[str, Any]:
        """The answer, or an EvaluatorError that says why there is none.

        `sample` tells repeated questions apart, so that a cache does not answer all of them alike.
        """
        ...


class Unconfigured:
    """The judge of a run that has none: says so when it is asked."""

    def ask(
        self, prompt: str, *, schema: dict[str, Any], model: str | None = None, sample: int = 0
    ) -> dict[str, Any]:
        msg = "no judge is configured; add a 'judge:' block to the config or give --judge-model"
        raise EvaluatorError(msg)
