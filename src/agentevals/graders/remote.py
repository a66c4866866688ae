"""`remote`: a program out of a registry judges, once it has been fetched."""

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from agentevals.evaluator.resolver import RemoteEvaluatorDef, get_default_resolver
from agentevals.evaluator.sources import check_ref
from agentevals.grading import Services
from agentevals.model import Case, Grade
from agentevals.programs import Program


def _fetchable(source: str) -> str:
    if source == "builtin":
        msg = "builtins are not fetched; use their name with type: builtin"
        raise ValueError(msg)
    return source


class Remote(Program):
    """A program of a registry that speaks the protocol."""

    type: ClassVar[str] = "remote"

    source: Annotated[str, AfterValidator(_fetchable)] = Field(
        default="github", description="The registry that has it"
    )
    ref: Annotated[str, AfterValidator(check_ref)] = Field(
        description="Where the registry has it, such as evaluators/contains/contains.py"
    )

    def problems(self) -> list[str]:
        return [*get_default_resolver().problems(self._definition()), *self.problems_of(None)]

    def grade(self, case: Case, services: Services) -> Grade:
        path = get_default_resolver().fetch(self._definition())
        return self.judgement_of(path, case, services)

    def _definition(self) -> RemoteEvaluatorDef:
        return RemoteEvaluatorDef(name=self.name, source=self.source, ref=self.ref)
