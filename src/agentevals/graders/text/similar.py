"""`similar`: the answer means much the same as a text."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from agentevals.graders.assertions import Assertion
from agentevals.graders.grader import Services
from agentevals.graders.javascript import to_fixed
from agentevals.graders.text import embedding
from agentevals.graders.text.checks import Text
from agentevals.model.cases import Case, Grade

_SHOWN = 200  # characters of a text in a sentence


class Similar(Assertion):
    """The nearness of the answer to the nearest of the texts: 0 is the opposite, 1 is the same."""

    type = "similar"

    value: Text | Annotated[tuple[Text, ...], Field(min_length=1)] = Field(
        description="The text, or several of which the nearest counts"
    )
    threshold: float = Field(
        default=0.75, ge=0, le=1, description="A score at or above this value passes"
    )

    def problems(self) -> list[str]:
        missing = embedding.find_obstacle()
        return [missing] if missing else []

    def grade(self, case: Case, services: Services) -> Grade:
        texts = (self.value,) if isinstance(self.value, str) else self.value
        if not case.answer.strip():
            return Grade(score=0.0, misses=("Output is empty",), reasoning="Output is empty")
        scores = [(1 + cosine) / 2 for cosine in embedding.compute_cosines(case.answer, texts)]
        best = max(scores)
        return self._build_grade(best, texts[scores.index(best)], scores)

    def _build_grade(self, best: float, nearest: str, scores: Sequence[float]) -> Grade:
        met = best >= self.threshold
        sentence = (
            f'Output is {"" if met else "not "}similar to "{nearest[:_SHOWN]}" '
            f"(similarity: {to_fixed(best, 2)}, threshold: {to_fixed(self.threshold, 2)})"
        )
        return Grade(
            score=best,
            hits=(sentence,) if met else (),
            misses=() if met else (sentence,),
            reasoning=sentence,
            details={"similarities": list(scores)},
        )
