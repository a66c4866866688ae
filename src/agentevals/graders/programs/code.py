"""`code`: a program in a local file judges, in whatever language it is written."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from agentevals.custom_evaluators import create_executor, read_grade
from agentevals.custom_evaluators.evaluator_backend import Answer, EvaluatorBackend, Permissions
from agentevals.evaluator.evaluator_manifest import Capabilities
from agentevals.graders.grader import Services
from agentevals.graders.programs import program_grants
from agentevals.graders.programs.grader_batches import BatchGrader, Exchange, take_grade
from agentevals.graders.programs.program_grants import Loan
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError, InputError
from agentevals.sandbox import wire_protocol
from agentevals.sandbox.program_starts import Question
from agentevals.traces import turn_performance


class Program(BatchGrader):
    """An evaluator that reads EvalInput on stdin and writes EvalResult on stdout."""

    config: dict[str, Any] = Field(default={}, description="Its own settings, handed to it")
    executor: str = Field(default="local", description="Where it runs")
    image: str = Field(
        default="",
        description="The image of its container, with `executor: docker`; without one that of "
        "its language",
    )

    @model_validator(mode="after")
    def _check_image(self) -> Self:
        if self.image and self.executor != "docker":
            msg = "'image' needs executor: docker"
            raise ValueError(msg)
        return self

    def prepare(self) -> None:
        if self.executor == "local":
            super().prepare()

    def find_problems(self, path: Path | None) -> list[str]:
        """List what would keep the program in this file, or one to be fetched, from judging."""
        try:
            backend = create_executor(self.executor, path or Path(), self.timeout)
        except InputError as error:
            return [str(error)]
        return backend.problems() if path else []

    def run_program(
        self, path: Path, case: Case, services: Services, asked: Capabilities | None = None
    ) -> Grade:
        """Run the program in this file on a case; it may use what it `asked` for and is granted."""
        backend = self._create_backend(path)
        with program_grants.lend(self, services, name=self.name, asked=asked) as loan:
            message, permissions = self._encode(case), self._permit(services, loan)
            answer = backend.exchange(message, self.name, permissions)
            return loan.settle(read_grade(answer, self.name), self.name)

    def run_lines(
        self,
        path: Path,
        cases: Sequence[Case],
        services: Services,
        asked: Capabilities | None = None,
    ) -> list[Grade | EvaluatorError]:
        """Run the program in this file on several cases, as `run_program` does on one."""
        backend = self._create_backend(path)

        def ask(questions: Sequence[Question], loan: Loan) -> list[Answer | EvaluatorError]:
            permissions = self._permit(services, loan)
            return backend.exchange_batch(questions, self.name, permissions)

        exchange = Exchange(self._encode, ask, partial(read_grade, name=self.name))
        return self.exchange_lines(cases, services, exchange, asked)

    def _create_backend(self, path: Path) -> EvaluatorBackend:
        try:
            return create_executor(self.executor, path, self.timeout)
        except InputError as error:
            msg = f"evaluator {self.name!r}: {error}"
            raise InputError(msg) from error

    def _encode(self, case: Case) -> bytes:
        asked = wire_protocol.EvaluatorSettings(self.name, self.threshold, self.config)
        each = tuple(turn_performance.measure((turn,)) for turn in case.turns)
        return wire_protocol.encode_input(
            asked, case.turns, case.expected, turn_performance.measure(case.turns), each
        )

    def _permit(self, services: Services, loan: Loan) -> Permissions:
        return Permissions(
            rights=loan.rights,
            env=loan.env,
            memory_mb=self.memory_mb,
            level=self.level(services),
            image=self.image,
        )


class Code(Program):
    """A local program that speaks the protocol."""

    type: ClassVar[str] = "code"

    path: Path = Field(description="The program: .py, .js, .ts, or executable with a #! line")

    def problems(self) -> list[str]:
        return self.find_problems(self.path)

    def grade(self, case: Case, services: Services) -> Grade:
        if self.batch:
            return take_grade(self.grade_batch((case,), services))
        return self.run_program(self.path, case, services)

    def grade_batch(
        self, cases: Sequence[Case], services: Services
    ) -> list[Grade | EvaluatorError]:
        return self.run_lines(self.path, cases, services)
