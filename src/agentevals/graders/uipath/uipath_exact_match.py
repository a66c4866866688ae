"""`uipath-exact-match`: the output is the expected one."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agentevals.graders.grader import Services
from agentevals.graders.uipath.classes import Classes, Confusion, Pair
from agentevals.graders.uipath.sentences import shown, yes_or_no
from agentevals.graders.uipath.settings import ByLine, OfExpectedOutput
from agentevals.model.cases import Grade
from agentevals.model.results import Result


class _Aggregator(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Share(_Aggregator):
    """Precision or recall over the classes."""

    type: Literal["precision", "recall"]
    averaging: Literal["macro", "micro"] = "macro"


class FScore(_Aggregator):
    """Both in one; above 1 `f_value` favours recall."""

    type: Literal["fscore"]
    averaging: Literal["macro", "micro"] = "macro"
    f_value: float = Field(default=1.0, gt=0, le=1000, alias="fValue")


class Matrix(_Aggregator):
    """What was predicted for what was expected."""

    type: Literal["confusion_matrix"]


Aggregator = Annotated[Share | FScore | Matrix, Field(discriminator="type")]


class ExactMatch(OfExpectedOutput, ByLine):
    """1 where the output is the expected one, otherwise 0.

    Objects are compared by value. As soon as one side is a text, both are compared as texts.
    """

    type = "uipath_exact_match"

    case_sensitive: bool = Field(
        default=False, description="Whether upper and lower case differ where texts are compared"
    )
    negated: bool = Field(default=False, description="Whether any other output is wanted")
    classes: Classes = Field(default=(), description="What the output may be, for `aggregators`")
    aggregators: tuple[Aggregator, ...] = Field(
        default=(), description="What is computed over all cases, taking outputs as classes"
    )

    @model_validator(mode="after")
    def _can_aggregate(self) -> Self:
        if not self.aggregators:
            return self
        if not self.classes:
            msg = "'aggregators' need 'classes'; list what the output may be"
            raise ValueError(msg)
        for name in ("line_by_line_evaluator", "case_sensitive", "negated"):
            if getattr(self, name):
                msg = f"'aggregators' do not go together with {name!r}; leave one of them out"
                raise ValueError(msg)
        return self

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        equal = self._equal(wanted, actual)
        return yes_or_no(
            met=equal is not self.negated,
            hit=f"the output is {'not ' if self.negated else ''}{shown(wanted)}",
            miss=f"the output is {shown(actual)}, not {shown(wanted)}"
            if not self.negated
            else f"the output is {shown(wanted)}, which it must not be",
            expected=str(wanted),
            actual=str(actual),
        )

    def _equal(self, wanted: Any, actual: Any) -> bool:
        if not isinstance(wanted, str) and not isinstance(actual, str):
            return bool(wanted == actual)
        one, other = str(wanted), str(actual)
        return one == other if self.case_sensitive else one.lower() == other.lower()

    def overall(self, results: Sequence[Result], services: Services) -> dict[str, Any]:
        pairs = [pair for result in results if (pair := _pair(result))]
        found = super().overall(results, services)
        for one in self.aggregators:
            found[f"{self.name}::{one.type}"] = self._aggregated(one, pairs, len(results))
        return found

    def _aggregated(self, one: Aggregator, pairs: list[Pair], total: int) -> dict[str, Any]:
        confusion = Confusion([name.lower() for name in self.classes], pairs)
        score, more = 0.0, {}
        if not isinstance(one, Matrix):
            beta = one.f_value if isinstance(one, FScore) else 1.0
            score = confusion.measure(one.type, one.averaging, beta)
            more = confusion.details(one.averaging, beta)
        details = {
            "metric": one.type,
            "classes": list(confusion.classes),
            "confusionMatrix": confusion.matrix,
            "nTotal": total,
            "nScored": confusion.scored,
            "nSkipped": total - confusion.scored,
            **more,
        }
        return {"score": score, "details": details}


def _pair(result: Result) -> Pair | None:
    """What was put out and what was expected, of a result that says it."""
    actual, expected = result.details.get("actual"), result.details.get("expected")
    if not isinstance(actual, str) or not isinstance(expected, str):
        return None
    return actual.lower(), expected.lower()
