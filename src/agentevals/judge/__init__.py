"""Asking a language model for an opinion: what a grader may ask, and what answers it."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol, TypedDict, Unpack

from agentevals.judge.judge_settings import SAMPLES, JudgeSettings
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.model.plugins import Table

__all__ = [
    "ONCE", "AnswerMemory", "Changes", "Judge", "JudgeAnswerError", "JudgeSettings", "Patience",
    "Redact", "Unconfigured", "from_settings",
]  # fmt: skip


class JudgeAnswerError(EvaluatorError):
    """The judge was asked and paid for, but what it said is of no use."""


@dataclass(frozen=True)
class Patience:
    """The patience of an evaluator with its judge.

    The judge gets the same question `tries` times before it is told what was wrong with its
    answer. `accepts` is a schema for answers that almost fit. `reads` parses a text that is not
    JSON, or returns None.
    """

    tries: int = 1
    accepts: dict[str, Any] | None = None
    reads: Callable[[str], dict[str, Any] | None] | None = None


ONCE = Patience()


class Changes(TypedDict, total=False):
    """The changes that one evaluator makes to its judge: another one by name, or other settings."""

    target: str | None
    model: str | None
    base_url: str | None
    api_key_env: str | None
    temperature: float | None


class Judge(Protocol):
    """Anything that answers a question with a JSON object that fits a schema."""

    @property
    def samples(self) -> int:
        """The number of answers per question where a majority decides and nothing else is set."""
        ...

    def ask(
        self,
        prompt: str,
        *,
        schema: dict[str, Any],
        sample: int = 0,
        system: str = "",
        patience: Patience = ONCE,
    ) -> dict[str, Any]:
        """The answer, or an error that says why there is none: an EvaluatorError, an InputError
        where the judge is not configured, an UnavailableError where it is not reached.

        `sample` tells repeated questions apart, so that a cache does not answer all of them alike.
        """
        ...

    def say(self, prompt: str, *, system: str = "", sample: int = 0) -> str:
        """Return a free text of the model; counted, cached and failing as `ask` does."""
        ...

    def variant(self, **changes: Unpack[Changes]) -> "Judge":
        """Return the judge with the changes of one evaluator; cache, budget and count are shared.

        An InputError says that no judge has the name of the `target`.
        """
        ...

    def usage(self) -> dict[str, Any]:
        """Return the cost of judging up to now, for the report."""
        ...


Redact = Callable[[str], str]  # hides in a question what the model must not get

# behind a table because it loads an HTTP client, which most runs do not need
_JUDGES: Table[Callable[..., Judge]] = Table(
    "judge", {"model": "agentevals.judge.model_judge:ModelJudge"}
)


class AnswerMemory:
    """The answers of one run, for another one over the same traces: it is not asked again.

    They are given out in the order in which they came, so that repeats keep answers of their own.
    """

    def __init__(self, earlier: "AnswerMemory | None" = None) -> None:
        self._lock, self._earlier = Lock(), earlier
        self._answers: dict[str, deque[dict[str, Any]]] = {}

    def recall(self, question: str) -> dict[str, Any] | None:
        """Return the next answer of the earlier run, if it asked this."""
        if self._earlier is None:
            return None
        with self._lock:
            answers = self._earlier._answers.get(question)  # noqa: SLF001 -- of the same class
            if answers:
                answers.rotate(-1)
            return answers[-1] if answers else None

    def keep(self, question: str, answer: dict[str, Any]) -> None:
        with self._lock:
            self._answers.setdefault(question, deque()).append(answer)


def create_judge(
    settings: JudgeSettings | None, redact: Redact = str, memory: AnswerMemory | None = None
) -> Judge:
    """The judge of a run; one that says that it is missing where nothing configures it."""
    if settings is None:
        return Unconfigured(redact, memory)
    return _JUDGES["model"](settings, redact=redact, memory=memory)


NO_JUDGE = (
    "no judge is configured; give --judge-model, or add a 'judge:' block with a 'model' to an "
    "eval_config.yaml"
)


class Unconfigured:
    """The judge of a run that has none: serves evaluators that name their own model."""

    samples = SAMPLES

    def __init__(self, redact: Redact = str, memory: AnswerMemory | None = None) -> None:
        self._redact, self._memory = redact, memory
        self._lock = Lock()
        self._named: Judge | None = None

    def ask(self, *_: object, **__: object) -> dict[str, Any]:
        raise InputError(NO_JUDGE)

    def say(self, *_: object, **__: object) -> str:
        raise InputError(NO_JUDGE)

    def variant(self, **changes: Unpack[Changes]) -> Judge:
        if changes.get("model") is None and changes.get("target") is None:
            return self
        with self._lock:
            self._named = self._named or create_judge(JudgeSettings(), self._redact, self._memory)
        return self._named.variant(**changes)

    def usage(self) -> dict[str, Any]:
        return self._named.usage() if self._named else {}

    def list_refused(self) -> Iterator[str]:
        """Yield what the judges refuse that evaluators name."""
        yield from getattr(self._named, "list_refused", tuple)()
