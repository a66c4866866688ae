"""`assert_set`: several evaluators that count as one."""

from collections.abc import Sequence

from agentevals.graders.agentv.parts import (
    Composition,
    Part,
    blend,
    compute_weighted_mean,
    select_evaluated,
)
from agentevals.graders.grader import Services
from agentevals.model.cases import Grade, Status


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
