"""Somewhere an evaluator runs, what it may do there, and what it answers."""

from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from agentevals.model.errors import EvaluatorError
from agentevals.sandbox import isolation
from agentevals.sandbox.program_rights import NOTHING, Rights
from agentevals.sandbox.program_starts import Question
from agentevals_evaluator_sdk import EvalInput, EvalResult


@dataclass(frozen=True, kw_only=True)
class Permissions:
    """The permissions of an evaluator beyond reading its own folder."""

    rights: Rights = NOTHING
    env: Mapping[str, str] = field(default_factory=dict)  # variables of ours that belong to them
    memory_mb: int = 1024
    level: str = isolation.BEST
    # of a container, where its executor is one
    image: str = ""


@dataclass(frozen=True)
class Answer:
    """The output of an evaluator, and the isolation it ran in."""

    stdout: bytes
    isolation: str = ""


class EvaluatorBackend(ABC):
    """Somewhere an evaluator runs. `run` is all that one has to provide."""

    @abstractmethod
    async def run(self, eval_input: EvalInput, metric_name: str) -> EvalResult:
        """Have it judged, or raise EvaluatorError."""

    def exchange(self, message: bytes, metric_name: str, permissions: Permissions) -> Answer:  # noqa: ARG002 -- only a backend of ours is given permissions
        """Evaluate a message in bytes; the engine calls this one."""
        try:
            result = _await(self.run(EvalInput.model_validate_json(message), metric_name))
        except (RuntimeError, OSError, ValueError) as error:
            msg = f"evaluator {metric_name!r} could not be run by {type(self).__name__}: {error}"
            raise EvaluatorError(msg) from error
        if not isinstance(result, EvalResult):
            what = f"{type(self).__name__} gave {type(result).__name__}, not an EvalResult"
            msg = f"evaluator {metric_name!r}: {what}"
            raise EvaluatorError(msg)
        return Answer(result.model_dump_json().encode())

    def exchange_batch(
        self, questions: Sequence[Question], metric_name: str, permissions: Permissions
    ) -> list[Answer | EvaluatorError]:
        """Evaluate several messages: here one after the other, in one start where that is known."""
        return [self._try(question.message, metric_name, permissions) for question in questions]

    def _try(
        self, message: bytes, metric_name: str, permissions: Permissions
    ) -> Answer | EvaluatorError:
        try:
            return self.exchange(message, metric_name, permissions)
        except EvaluatorError as error:
            return error

    def problems(self) -> list[str]:
        """Return what would prevent a run, found without running the evaluator."""
        return []

    def describe(self) -> str:
        """Return whether this machine has it, in words."""
        return "available"


def _await(answer: Coroutine[Any, Any, EvalResult]) -> object:
    """The one place where a coroutine is driven; asyncio costs a start that few runs need."""
    return import_module("asyncio").run(answer)
