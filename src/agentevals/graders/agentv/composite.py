"""`composite` and `assert_set`: several evaluators, and one judgement made of theirs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

from agentevals.graders.agentv import (
    Composition,
    Part,
    blend,
    compute_weighted_mean,
    select_evaluated,
)
from agentevals.graders.agentv.aggregators import Aggregator
from agentevals.graders.grader import Grader, Services
from agentevals.model.cases import Grade, Status
from agentevals.model.plugins import Lazy, suggestion

if TYPE_CHECKING:
    from agentevals.graders.agentv import external_aggregators
    from agentevals.graders.agentv.external_aggregators import JudgeAggregator, ProgramAggregator
else:  # it loads what most composites do not need
    external_aggregators = Lazy("agentevals.graders.agentv.external_aggregators")


class Composite(Composition):
    """The grade that its aggregator makes of the scores of its evaluators."""

    type = "composite"

    aggregator: Aggregator = Field(
        default=Aggregator(), description="How one judgement is made; the weighted mean by default"
    )
    beside: Path = Field(
        default=Path(), exclude=True, description="The folder that an aggregator's program runs in"
    )

    @model_validator(mode="after")
    def _check_aggregator(self) -> Self:
        known = [child.name for child in self.evaluators]
        for setting, name in self.aggregator.list_named():
            if name not in known:
                msg = f"'aggregator.{setting}' names {name!r}, which is not among its evaluators"
                raise ValueError(msg + suggestion(name, known))
        return self

    @property
    def waits(self) -> bool:  # type: ignore[override]
        return self._asks or super().waits

    @property
    def judged(self) -> bool:
        return self.aggregator.type == "llm_judge" or super().judged

    @property
    def content(self) -> str:
        return self._build_aggregator().content if self._asks else ""

    def problems(self) -> list[str]:
        own = self._build_aggregator().problems() if self._asks else []
        return [*super().problems(), *(f"its aggregator {problem}" for problem in own)]

    def prepare(self) -> None:
        if self._asks:
            self._build_aggregator().prepare()

    def weight_of(self, child: Grader) -> float:
        return self.aggregator.weights.get(child.name, child.weight)

    def combine(self, parts: Sequence[Part], services: Services) -> Grade:
        if not self._asks:
            return self.aggregator.compute(parts)
        results = {part.name: part.result for part in select_evaluated(parts)}
        return self._build_aggregator().aggregate(results, services, self.name)

    @property
    def _asks(self) -> bool:
        return self.aggregator.type in {"code_judge", "llm_judge"}

    def _build_aggregator(self) -> "JudgeAggregator | ProgramAggregator":
        if self.aggregator.type == "llm_judge":
            return external_aggregators.JudgeAggregator(self.aggregator, self.beside)
        return external_aggregators.ProgramAggregator(self.aggregator, self.beside)


class AssertSet(Composition):
    """The weighted mean of its evaluators. It passes where all of them do that have a weight.

    Where it is given a threshold, that decides instead.
    """

    type = "assert_set"

    @property
    def content(self) -> str:
        return "by score" if self._by_score else ""

    def combine(self, parts: Sequence[Part], services: Services) -> Grade:
        score = compute_weighted_mean(parts)
        if self._by_score:
            return blend(parts, score)
        counting = [part.result.status for part in select_evaluated(parts) if part.weight]
        passed = all(status is Status.PASSED for status in counting)
        return blend(parts, score, Status.PASSED if passed else Status.FAILED)

    @property
    def _by_score(self) -> bool:
        return "threshold" in self.model_fields_set
