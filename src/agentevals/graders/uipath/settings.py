"""UiPath's evaluators as graders: what is set once, what is expected of a case, how it passes."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasGenerator,
    BeforeValidator,
    ConfigDict,
    Field,
)
from pydantic.alias_generators import to_camel

from agentevals.files.validation import shown
from agentevals.graders.grader import REQUIRED, Grader, Services
from agentevals.graders.uipath import outputs, paths
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.results import Result

OnePath = Annotated[str, AfterValidator(paths.check)]
Path = OnePath | Annotated[tuple[OnePath, ...], Field(min_length=1)]


def _object_or_text(given: Any) -> Any:
    if given is None or isinstance(given, dict | str):
        return given
    msg = f"must be an object or a text, not {shown(given)}"
    raise ValueError(msg)


Output = Annotated[
    dict[str, Any] | str,
    BeforeValidator(_object_or_text, json_schema_input_type=dict[str, Any] | str),
]


def _spellings(name: str) -> AliasChoices:
    return AliasChoices(name, to_camel(name))


class UiPathEvaluator(Grader):
    """An evaluator of UiPath: it passes at 0.8, and its settings may be written in camel case.

    Over all cases it is the mean of the scores, unless it says something else.
    """

    model_config = ConfigDict(alias_generator=AliasGenerator(validation_alias=_spellings))

    judges_overall: ClassVar[bool] = True
    # the settings that UiPath calls criteria: each item of an eval set makes them
    of_the_case: ClassVar[tuple[str, ...]] = ()

    threshold: float = Field(
        default=REQUIRED, ge=0, le=1, description="A score at or above this value passes"
    )

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:  # noqa: ARG003 -- the seam's
        """The type as UiPath writes it."""
        return cls.type.replace("_", "-")

    def overall(self, results: Sequence[Result], services: Services) -> dict[str, Any]:
        return {
            "reduce_scores": self.reduced(results),
            "metric": self.reduced_by,
            "scored": sum(result.score is not None for result in results),
            "total": len(results),
        }

    @property
    def reduced_by(self) -> str:
        """What the one number for all cases is."""
        return "mean"

    def reduced(self, results: Sequence[Result]) -> float | None:
        """One number for all cases."""
        return mean(result.score for result in results)


class OfOutput(UiPathEvaluator):
    """Looks at what the agent put out, or at a part of it."""

    target_output_key: Path = Field(
        default=paths.WHOLE,
        description="What to look at: `*` for all, a path such as `items[0].name`, or several",
    )

    def sides(self, case: Case, wanted: Any) -> tuple[Any, Any]:
        """What is wanted and what is there, as they are compared."""
        found = outputs.part(outputs.of_case(case), self.target_output_key, "the agent's output")
        return wanted, outputs.normal(outputs.at_hand(found))


class OutputEvaluator(OfOutput):
    """Compares the output, by itself, with what is wanted."""

    def grade(self, case: Case, services: Services) -> Grade:
        wanted = outputs.shallow(lambda: self.expectation(case))
        if wanted is None:
            return not_expected(case)
        if not outputs.recorded(case):
            return Grade.not_evaluated(outputs.UNRECORDED)
        return outputs.shallow(lambda: self.judge(*self.sides(case, wanted)))

    @abstractmethod
    def expectation(self, case: Case) -> Any:
        """What is wanted, if anything is."""

    @abstractmethod
    def judge(self, wanted: Any, actual: Any) -> Grade:
        """How the part of the output compares with what is wanted."""


class Lines(OutputEvaluator):
    """An evaluator that can look at a text line by line; the score is then the mean."""

    line_delimiter: str = Field(default="\n", min_length=1, description="What ends a line")

    @property
    @abstractmethod
    def by_line(self) -> bool:
        """Whether each line is looked at on its own."""

    def judge(self, wanted: Any, actual: Any) -> Grade:
        if not self.by_line:
            return self.judge_one(wanted, actual)
        split = partial(outputs.lines, delimiter=self.line_delimiter)
        return self.judge_each(wanted, split(self.shown(wanted)), split(actual))

    def judge_each(self, wanted: Any, expected: list[Any], actual: list[Any]) -> Grade:
        """Return the mean over the lines; the shorter side is padded with empty ones."""
        count = max(len(expected), len(actual), 1)
        pairs = zip(_padded(expected, count), _padded(actual, count), strict=True)
        grades = [self.judge_one(self.line(wanted, want), got) for want, got in pairs]
        numbered = enumerate(grades, start=1)
        rows = [{"line_number": at, "score": g.score, "details": g.details} for at, g in numbered]
        return Grade(
            score=mean(grade.score for grade in grades),
            hits=_said(grades, "hits"),
            misses=_said(grades, "misses"),
            details={
                "line_by_line_results": rows,
                "total_lines_actual": len(actual),
                "total_lines_expected": len(expected),
                "aggregation_method": "average",
            },
        )

    @abstractmethod
    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        """How an output, or a line of it, compares."""

    def shown(self, wanted: Any) -> Any:
        """What is split into lines on the expected side."""
        return wanted

    def line(self, wanted: Any, line: Any) -> Any:
        """What is wanted of one line."""
        return line


class ByLine(Lines):
    """An evaluator of version 1.0 that can look at a text line by line."""

    line_by_line_evaluator: bool = Field(
        default=False, description="Whether each line is looked at on its own"
    )

    @property
    def by_line(self) -> bool:
        return self.line_by_line_evaluator


class OfExpectedOutput(OfOutput):
    """Wants the output that is expected of the case."""

    of_the_case: ClassVar[tuple[str, ...]] = ("expected_output",)

    expected_output: Output | None = Field(
        default=None,
        description="The output that is wanted; the answer of the eval set where it is left out",
    )

    def expectation(self, case: Case) -> Any:
        """What is wanted, if anything is."""
        wanted: Any = self.expected_output
        if wanted is None and case.expected and case.expected[-1].response is not None:
            wanted = outputs.unpacked(case.expected[-1].response)
        return None if wanted is None else self.wanted(wanted)

    def wanted(self, written: Any) -> Any:
        """The part of the expected output that is compared."""
        return outputs.normal(outputs.part(written, self.target_output_key, "the expected output"))


def not_expected(case: Case) -> Grade:
    """What an evaluator says where it has nothing to compare with."""
    return Grade.not_evaluated(case.unpaired or "no output is expected of this case")


def _padded(lines: list[Any], count: int) -> list[Any]:
    return lines + [""] * (count - len(lines))


def _said(grades: Sequence[Grade], what: str) -> tuple[str, ...]:
    numbered = enumerate(grades, start=1)
    return tuple(f"line {at}: {said}" for at, g in numbered for said in getattr(g, what))
