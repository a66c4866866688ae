"""The seam every evaluator type plugs into."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field

from agentevals.judge import Judge, Unconfigured
from agentevals.model import Case, Grade


@dataclass(frozen=True, kw_only=True)
class Services:
    """What a grader may reach beyond its own settings."""

    judge: Judge = field(default_factory=Unconfigured)
    # how far foreign programs must be shut in, whatever their own settings say
    isolation: str | None = None
    # why no judge may be asked in this run; empty where one may
    unjudged: str = ""


class Grader(BaseModel, ABC):
    """An evaluator: its settings are the fields, its judgement is `grade`.

    The engine owns the rest: timing, threshold, weight, error capture, verdict. A setting that
    names a file has the type `Path`: a dialect makes it absolute before the grader is built.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    type: ClassVar[str]
    # whether grading mostly waits for something outside this process, so that threads help
    waits: ClassVar[bool] = False
    # whether there is nothing to judge without an expectation from an eval set
    needs_expectation: ClassVar[bool] = False

    name: str = Field(min_length=1, description="Unique name, used in every output")
    threshold: float = Field(
        default=0.5, ge=0, le=1, description="A score at or above this value passes"
    )
    weight: float = Field(default=1.0, ge=0, description="Share in the score of the case")
    required: float | None = Field(
        default=None, ge=0, le=1, description="The case fails when the score is below this"
    )

    @property
    def judged(self) -> bool:
        """Whether a model judges, so that the same case may be judged differently again."""
        return False

    @property
    def content(self) -> str:
        """A digest of what judges, where that is known and is not said by the settings."""
        return ""

    @abstractmethod
    def grade(self, case: Case, services: Services) -> Grade:
        """Judge one case, or raise EvaluatorError when that is not possible."""

    def prepare(self) -> None:
        """Begin what takes a while before the first case can be judged. Must not wait for it."""

    def problems(self) -> list[str]:
        """What would keep this evaluator from judging anything, found without running it."""
        return []
