"""Asking a language model for an opinion: what a grader may ask, and what answers it."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Protocol

from agentevals.errors import EvaluatorError, InputError
from agentevals.judge.settings import SAMPLES, JudgeSettings
from agentevals.seams import Table

__all__ = ["Judge", "JudgeAnswerError", "JudgeSettings", "Unconfigured", "from_settings"]


class JudgeAnswerError(EvaluatorError):
    """The judge was asked and paid for, but what it said is of no use."""


class Judge(Protocol):
    """Anything that answers a question with a JSON object that fits a schema."""

    @property
    def samples(self) -> int:
        """How often a question is put where a majority decides and nothing else is said."""
        ...

    def ask(
        self, prompt: str, *, schema: dict[str, Any], model: str | None = None, sample: int = 0
    ) -> dict[str, Any]:
        """The answer, or an error that says why there is none: an EvaluatorError, an InputError
        where the judge is not configured, an UnavailableError where it is not reached.

        `sample` tells repeated questions apart, so that a cache does not answer all of them alike.
        """
        ...

    def variant(
        self,
        *,
        model: str | None = None,
        base_url: str | None = None,
        api_key_env: str | None = None,
    ) -> "Judge":
        """The same judge as one evaluator wants it; they share cache, budget and count."""
        ...

    def usage(self) -> dict[str, Any]:
        """What judging has cost up to now, for the report."""
        ...


# behind a table because it loads an HTTP client, which most runs do not need
_JUDGES: Table[Callable[[JudgeSettings], Judge]] = Table(
    "judge", {"model": "agentevals.judge.asking:ModelJudge"}
)


def from_settings(settings: JudgeSettings | None) -> Judge:
    """The judge of a run; one that says that it is missing where nothing configures it."""
    return Unconfigured() if settings is None else _JUDGES["model"](settings)


class Unconfigured:
    """The judge of a run that has none: serves evaluators that name their own model."""

    samples = SAMPLES

    def __init__(self) -> None:
        self._lock = Lock()
        self._named: Judge | None = None

    def ask(
        self, prompt: str, *, schema: dict[str, Any], model: str | None = None, sample: int = 0
    ) -> dict[str, Any]:
        if model is not None:
            return self.variant(model=model).ask(prompt, schema=schema, sample=sample)
        msg = "no judge is configured; add a 'judge:' block with a 'model' to the config, "
        raise InputError(msg + "or give --judge-model")

    def variant(
        self,
        *,
        model: str | None = None,
        base_url: str | None = None,
        api_key_env: str | None = None,
    ) -> Judge:
        if model is None:
            return self
        with self._lock:
            self._named = self._named or from_settings(JudgeSettings())
        return self._named.variant(model=model, base_url=base_url, api_key_env=api_key_env)

    def usage(self) -> dict[str, Any]:
        return self._named.usage() if self._named else {}
