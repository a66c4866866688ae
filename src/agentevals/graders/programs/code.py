"""`code`: a program in a local file judges, in whatever language it is written."""

from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from agentevals.custom_evaluators import CustomEvaluatorRunner, Permissions, create_executor
from agentevals.evaluator.manifest import Capabilities
from agentevals.graders.grader import Services
from agentevals.graders.programs import ThirdPartyGrader, lending
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import InputError
from agentevals.traces import performance


class Program(ThirdPartyGrader):
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
            performance.measure(case.turns),
        )
        with lending.lend(self, services, name=self.name, asked=asked) as loan:
            grade = runner.evaluate(
                case.turns,
                case.expected,
                tuple(performance.measure((turn,)) for turn in case.turns),
                Permissions(
                    rights=loan.rights,
                    env=loan.env,
                    memory_mb=self.memory_mb,
                    level=self.level(services),
                    image=self.image,
                ),
            )
            return loan.settle(grade, self.name)


class Code(Program):
    """A local program that speaks the protocol."""

    type: ClassVar[str] = "code"

    path: Path = Field(description="The program: .py, .js, .ts, or executable with a #! line")

    def problems(self) -> list[str]:
        return self.find_problems(self.path)

    def grade(self, case: Case, services: Services) -> Grade:
        return self.run_program(self.path, case, services)
