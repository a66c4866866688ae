"""`code`: a program in a local file judges, in whatever language it is written."""

from pathlib import Path
from typing import ClassVar

from pydantic import Field

from agentevals.graders.grader import Services
from agentevals.graders.programs.program import Program
from agentevals.model.cases import Case, Grade


class Code(Program):
    """A local program that speaks the protocol."""

    type: ClassVar[str] = "code"

    path: Path = Field(description="The program: .py, .js, .ts, or executable with a #! line")

    def problems(self) -> list[str]:
        return self.find_problems(self.path)

    def grade(self, case: Case, services: Services) -> Grade:
        return self.run_program(self.path, case, services)
