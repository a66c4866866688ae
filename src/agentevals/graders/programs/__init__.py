"""Evaluators that are programs of the user's own."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from agentevals.graders.grader import Grader, Services
from agentevals.graders.programs.program_grants import Grants
from agentevals.model.cases import Case
from agentevals.model.completeness import Fact
from agentevals.model.plugins import Lazy

if TYPE_CHECKING:
    from agentevals.sandbox import isolation
else:  # most configs have no program
    isolation = Lazy("agentevals.sandbox.isolation")


class ThirdPartyGrader(Grants, Grader):
    """An evaluator whose judgement third-party code makes."""

    waits: ClassVar[bool] = True

    timeout: Annotated[float, Field(strict=True)] = Field(
        default=30, gt=0, allow_inf_nan=False, description="Seconds before it is ended"
    )
    memory_mb: int = Field(default=1024, ge=32, description="Memory it may use, in MiB")
    isolation: Literal["best", "basic", "partial", "strict"] | None = Field(
        default=None, description="How far it must be isolated, at least"
    )

    cache: bool = Field(
        default=True,
        exclude=True,
        description="Whether `--cache` may keep its results; `false` if it reads the clock",
    )

    needs: frozenset[Fact] = Field(
        default=frozenset(),
        description="The facts that it judges by; without one of them it is not asked",
    )

    @property
    def is_repeatable(self) -> bool:
        return self.cache and not self.judged

    @property
    def judged(self) -> bool:
        return self.asks_judge is not None

    def list_needs(self, case: Case) -> frozenset[Fact]:
        return self.needs

    def prepare(self) -> None:
        """Programs are started by a process that has to be started first."""
        isolation.start()

    def level(self, services: Services) -> str:
        """Return how far it is isolated: as the run asks for, else as its settings do."""
        return services.isolation or self.isolation or isolation.BEST
