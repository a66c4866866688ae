"""What evaluators that are programs have in common: their settings, and how they are run."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from agentevals import isolation, performance
from agentevals.custom_evaluators import CustomEvaluatorRunner, Permissions, create_executor
from agentevals.errors import InputError
from agentevals.grading import Grader, Services
from agentevals.isolation import BEST
from agentevals.model import Case, Grade


class Confined(Grader):
    """An evaluator that is a program, and what it may use of this machine."""

    waits: ClassVar[bool] = True

    timeout: Annotated[float, Field(strict=True)] = Field(
        default=30, gt=0, allow_inf_nan=False, description="Seconds before it is ended"
    )
    config: dict[str, Any] = Field(default={}, description="Its own settings, handed to it")
    network: bool = Field(default=False, description="Whether it may reach the network")
    memory_mb: int = Field(default=1024, ge=32, description="Memory it may use, in MiB")
    isolation: Literal["best", "basic", "partial", "strict"] | None = Field(
        default=None, description="How far it must be shut in, at least"
    )

    def prepare(self) -> None:
        """Programs are started by a process that has to be started first."""
        isolation.start()


class Program(Confined):
    """An evaluator that reads EvalInput on stdin and writes EvalResult on stdout."""

    executor: str = Field(default="local", description="Where it runs")

    def prepare(self) -> None:
        if self.executor == "local":
            super().prepare()

    def problems_of(self, path: Path | None) -> list[str]:
        """What would keep the program in this file, or one still to be fetched, from judging."""
        try:
            backend = create_executor(self.executor, path or Path(), self.timeout)
        except InputError as error:
            return [str(error)]
        return backend.problems() if path else []

    def judgement_of(self, path: Path, case: Case, services: Services) -> Grade:
        """What the program in this file says about a case."""
        try:
            backend = create_executor(self.executor, path, self.timeout)
        except InputError as error:
            msg = f"evaluator {self.name!r}: {error}"
            raise InputError(msg) from error
        runner = CustomEvaluatorRunner(
            backend,
            self.name,
            self.threshold,
            self.config,
            performance.of_conversation(case.turns),
        )
        return runner.evaluate(
            case.turns,
            case.expected,
            tuple(map(performance.of_turn, case.turns)),
            Permissions(
                network=self.network,
                memory_mb=self.memory_mb,
                level=services.isolation or self.isolation or BEST,
            ),
        )
