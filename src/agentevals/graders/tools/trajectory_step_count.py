"""`trajectory:step-count`: the agent took as many steps as it may."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from agentevals.graders.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.tools import steps
from agentevals.graders.tools.steps import Count, Kind, Matcher, Step
from agentevals.model.cases import Case, Grade

Kinds = Annotated[
    tuple[Kind, ...],
    BeforeValidator(
        lambda given: [given] if isinstance(given, str) else given,
        json_schema_input_type=Kind | list[Kind],
    ),
]


class Steps(Matcher):
    """The steps that are counted, and how many there may be."""

    type: Kinds = Field(
        default=(),
        description="`tool`, `command`, `message`, `span`, or several; else all but spans",
    )
    min: Count | None = Field(default=None, description="How many at least")
    max: Count | None = Field(default=None, description="How many at most")

    @model_validator(mode="after")
    def _check_limits(self) -> Self:
        if self.min is None and self.max is None:
            msg = "say how many: 'min', 'max' or both"
            raise ValueError(msg)
        if self.min is not None and self.max is not None and self.max < self.min:
            msg = f"'max' ({self.max}) is less than 'min' ({self.min})"
            raise ValueError(msg)
        return self

    def counts(self, step: Step) -> bool:
        """Return whether a step is one of those meant."""
        return (not self.type or bool(step.kinds & set(self.type))) and self.means(step.names)

    def holds(self, count: int) -> bool:
        """Return whether that many are neither too few nor too many."""
        return (self.min or 0) <= count and (self.max is None or count <= self.max)


class StepCount(Assertion):
    """1 where there are as many steps as there may be, otherwise 0."""

    type = "trajectory_step_count"

    value: Steps = Field(description="The steps, and how many there may be")

    def grade(self, case: Case, services: Services) -> Grade:
        count = sum(self.value.counts(step) for step in self._list_steps(case))
        limits = ((">=", self.value.min), ("<=", self.value.max))
        wanted = " and ".join(f"{sign}{limit}" for sign, limit in limits if limit is not None)
        kinds = "/".join(self.value.type) or "any kind"
        said = f"{count} steps ({kinds}, {self.value.label}; required {wanted})"
        return grade_binary(met=self.value.holds(count), hit=said, miss=said)

    def _list_steps(self, case: Case) -> Iterator[Step]:
        yield from steps.list_steps(case)
        if "span" in self.value.type:
            yield from steps.list_spans(case)
