"""UiPath's evaluators that compare the output: exact match, contains, JSON similarity."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_grader import ByLine, Classes, OfExpectedOutput, Wanted
from agentevals.graders.uipath.uipath_outputs import (
    drop_zeros,
    grade_share,
    grade_yes_or_no,
    quote_value,
    write_deviation,
)
from agentevals.model.cases import Case, Grade
from agentevals.model.results import Result
from agentevals_evaluator_sdk.standins.uipath import standin_similarity
from agentevals_evaluator_sdk.standins.uipath.standin_confusion import Confusion, Pair


class _Aggregator(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


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
    """The matrix of what was predicted for what was expected."""

    type: Literal["confusion_matrix"]


Aggregator = Annotated[Share | FScore | Matrix, Field(discriminator="type")]


class ExactMatch(OfExpectedOutput, ByLine):
    """1 if the output is the expected one, otherwise 0.

    Objects are compared by value. As soon as one side is a text, both are compared as texts.
    """

    type = "uipath_exact_match"

    case_sensitive: bool = Field(
        default=False, description="Whether upper and lower case differ in texts"
    )
    negated: bool = Field(default=False, description="Whether any other output is wanted")
    classes: Classes = Field(default=(), description="The possible outputs, for `aggregators`")
    aggregators: tuple[Aggregator, ...] = Field(
        default=(), description="What is computed over all cases, taking outputs as classes"
    )

    @model_validator(mode="after")
    def _check_aggregators(self) -> Self:
        if not self.aggregators:
            return self
        if not self.classes:
            msg = "'aggregators' need 'classes'; list what the output may be"
            raise ValueError(msg)
        if len({name.lower() for name in self.classes}) < len(self.classes):
            msg = "'classes' are compared without letter case, and two of them are the same"
            raise ValueError(msg)
        if any(name != name.strip() or not name for name in self.classes):
            msg = "'classes' must not begin or end with a space, nor be empty: no output is such"
            raise ValueError(msg)
        for name in ("line_by_line_evaluator", "case_sensitive", "negated"):
            if getattr(self, name):
                msg = f"'aggregators' do not go together with {name!r}; remove one of them"
                raise ValueError(msg)
        return self

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        equal = self._is_equal(wanted, actual)
        return grade_yes_or_no(
            met=equal is not self.negated,
            hit=f"the output is {'not ' if self.negated else ''}{quote_value(wanted)}",
            miss=f"the output is {write_deviation(actual, wanted)}"
            if not self.negated
            else f"the output is {quote_value(wanted)}, which it must not be",
            expected=str(wanted),
            actual=str(actual),
        )

    def _is_equal(self, wanted: Any, actual: Any) -> bool:
        if not isinstance(wanted, str) and not isinstance(actual, str):
            return bool(wanted == actual)
        one, other = str(wanted), str(actual)
        return one == other if self.case_sensitive else one.lower() == other.lower()

    def overall(self, results: Sequence[Result], services: Services) -> dict[str, Any]:
        pairs = [pair for result in results if (pair := _read_pair(result))]
        found = super().overall(results, services)
        for one in self.aggregators:
            found[f"{self.name}::{one.type}"] = self._aggregate(one, pairs, len(results))
        return found

    def _aggregate(self, one: Aggregator, pairs: list[Pair], total: int) -> dict[str, Any]:
        confusion = Confusion(self.classes, pairs)
        score, more = 0.0, {}
        if not isinstance(one, Matrix):
            beta = one.f_value if isinstance(one, FScore) else 1.0
            score = confusion.measure(one.type, one.averaging, beta)
            more = confusion.describe(one.averaging, beta)
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


def _read_pair(result: Result) -> Pair | None:
    actual, expected = result.details.get("actual"), result.details.get("expected")
    if not isinstance(actual, str) or not isinstance(expected, str):
        return None
    return actual.lower(), expected.lower()


class Contains(ByLine):
    """1 if the text occurs in the output, otherwise 0.

    An object is searched as Python prints it, with its numbers as floats.
    """

    type = "uipath_contains"
    of_the_case = ("search_text",)

    search_text: str = Field(description="The text")
    case_sensitive: bool = Field(default=False, description="Whether upper and lower case differ")
    negated: bool = Field(default=False, description="Whether the text must not occur")

    def find_expectation(self, case: Case) -> Wanted:
        return Wanted(self.search_text)

    def select_line(self, wanted: Any, line: str) -> Any:
        return wanted

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        text, searched = str(wanted), str(actual)
        if not self.case_sensitive:
            text, searched = text.lower(), searched.lower()
        found = text in searched
        hit, miss = (
            f"the output contains {quote_value(text)}",
            f"the output does not contain {quote_value(text)}; it is {quote_value(actual)}",
        )
        if self.negated:
            hit, miss = f"the output does not contain {quote_value(text)}", hit
        return grade_yes_or_no(
            met=found is not self.negated, hit=hit, miss=miss, expected=text, actual=searched
        )


_KEYS = 8  # that are told one by one


class JsonSimilarity(OfExpectedOutput, ByLine):
    """The share of the expected leaves that the output has; near numbers and texts count partly.

    What the output has beyond that does not count.
    """

    type = "uipath_json_similarity"

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        leaves = standin_similarity.compare(wanted, actual)
        full = leaves.share >= 1
        return grade_share(
            leaves.share,
            [str(leaves)] if full else [],
            [] if full else [str(leaves), *_describe_differences(wanted, actual)],
            expected=str(wanted),
            actual=str(actual),
            matched_leaves=leaves.matched,
            total_leaves=leaves.total,
        )


def _describe_differences(wanted: Any, actual: Any) -> Iterator[str]:
    if not isinstance(wanted, dict) or not isinstance(actual, dict):
        return iter((f"the output is {write_deviation(actual, wanted)}",))
    return islice(_compare_keys(wanted, actual), _KEYS)


def _compare_keys(wanted: dict[str, Any], actual: dict[str, Any]) -> Iterator[str]:
    for key, value in wanted.items():
        if key not in actual:
            yield f"{quote_value(key)} is missing, not {quote_value(drop_zeros(value))}"
        elif value != actual[key] and standin_similarity.compare(value, actual[key]).share < 1:
            yield f"{quote_value(key)} is {write_deviation(actual[key], value)}"
