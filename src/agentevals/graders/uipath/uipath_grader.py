"""UiPath's evaluators as graders: what is set once, what is expected of a case, how it passes."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
)

from agentevals.files.document_places import describe
from agentevals.graders.grader import IN_CAMEL_CASE_TOO, NO_OUTPUT, REQUIRED, Grader, Services
from agentevals.graders.uipath import uipath_outputs
from agentevals.model.cases import Case, Grade, mean
from agentevals.model.completeness import Fact
from agentevals.model.results import Result
from agentevals_evaluator_sdk.standins.uipath import standin_paths

OnePath = Annotated[str, AfterValidator(uipath_outputs.check_path)]
Path = OnePath | Annotated[tuple[OnePath, ...], Field(min_length=1)]


_MOST = 1000  # classes, each of which is counted with each


def _limit_classes(classes: tuple[str, ...]) -> tuple[str, ...]:
    if len(classes) > _MOST:
        msg = f"there can be {_MOST:,} classes, not {len(classes):,}"
        raise ValueError(msg)
    return classes


Classes = Annotated[tuple[str, ...], AfterValidator(_limit_classes)]


def _check_output(given: Any) -> Any:
    if given is None or isinstance(given, dict | str):
        return given
    msg = f"must be an object or a text, not {describe(given)}"
    raise ValueError(msg)


Output = Annotated[
    dict[str, Any] | str,
    BeforeValidator(_check_output, json_schema_input_type=dict[str, Any] | str),
]


class Wanted(NamedTuple):
    """An expectation of a case. It may be null, at the end of a path."""

    value: Any


class UiPathEvaluator(Grader):
    """An evaluator of UiPath: it passes at 0.8, and its settings may be written in camel case.

    Over all cases it is the mean of the scores, unless it says something else.
    """

    model_config = IN_CAMEL_CASE_TOO

    judges_overall: ClassVar[bool] = True
    # the settings that UiPath calls criteria: each item of an eval set makes them
    of_the_case: ClassVar[tuple[str, ...]] = ()

    threshold: float = Field(
        default=REQUIRED, ge=0, le=1, description="A score at or above this value passes"
    )

    def grade(self, case: Case, services: Services) -> Grade:
        """Grade the run. One that failed has 0, as in UiPath, which judges it no further."""
        if failure := uipath_outputs.find_failure(case):
            return Grade(score=0.0, misses=(failure,))
        return self.grade_run(case, services)

    @abstractmethod
    def grade_run(self, case: Case, services: Services) -> Grade:
        """Grade a run that has come to its end."""

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:  # noqa: ARG003 -- the seam's
        """The type as UiPath writes it."""
        return cls.type.replace("_", "-")

    def overall(self, results: Sequence[Result], services: Services) -> dict[str, Any]:
        return {
            "reduce_scores": self.reduce_results(results),
            "metric": self.reduced_by,
            "scored": sum(result.score is not None for result in results),
            "total": len(results),
        }

    @property
    def reduced_by(self) -> str:
        """The name of the one number for all cases."""
        return "mean"

    def reduce_results(self, results: Sequence[Result]) -> float | None:
        """One number for all cases."""
        return mean(result.score for result in results)


class OfOutput(UiPathEvaluator):
    """Looks at what the agent put out, or at a part of it."""

    judges_by = frozenset({Fact.ANSWER})
    judges_last_turn_only = True

    target_output_key: Path = Field(
        default=standin_paths.WHOLE,
        description=(
            "The part to compare: `*` for all, a path such as `items[0].name`, or a list of paths"
        ),
    )

    def read_sides(self, case: Case, wanted: Any) -> tuple[Any, Any]:
        """Return the expected value and the actual one, as they are compared."""
        found = uipath_outputs.select_part(
            uipath_outputs.read_output(case), self.target_output_key, "the agent's output"
        )
        return wanted, standin_paths.convert_numbers(uipath_outputs.refuse_attachment(found))

    def grade_sides(self, case: Case, judge: Callable[[Any, Any], Grade]) -> Grade:
        """Have `judge` compare both sides, if there are both."""
        wanted = uipath_outputs.limit_depth(lambda: self.find_expectation(case))
        if wanted is None:
            return Grade.not_evaluated(case.unpaired or NO_OUTPUT)
        if not uipath_outputs.is_recorded(case):
            return Grade.not_evaluated(uipath_outputs.UNRECORDED)
        return uipath_outputs.limit_depth(lambda: judge(*self.read_sides(case, wanted.value)))

    @abstractmethod
    def find_expectation(self, case: Case) -> Wanted | None:
        """Return what is expected, if anything is."""


class OutputEvaluator(OfOutput):
    """Compares the output, by itself, with what is wanted."""

    def grade_run(self, case: Case, services: Services) -> Grade:
        return self.grade_sides(case, self.judge)

    @abstractmethod
    def judge(self, wanted: Any, actual: Any) -> Grade:
        """Compare the part of the output with what is expected."""


class Lines(OutputEvaluator):
    """An evaluator that can look at a text line by line; the score is then the mean."""

    line_delimiter: str = Field(default="\n", min_length=1, description="What ends a line")

    @property
    @abstractmethod
    def by_line(self) -> bool:
        """True if each line is compared on its own."""

    def judge(self, wanted: Any, actual: Any) -> Grade:
        if not self.by_line:
            return self.judge_one(wanted, actual)
        split = partial(standin_paths.split_lines, delimiter=self.line_delimiter)
        return self.judge_each(wanted, split(wanted), split(actual))

    def judge_each(self, wanted: Any, expected: list[Any], actual: list[Any]) -> Grade:
        """Return the mean over the lines; the shorter side is padded with empty ones."""
        count = max(len(expected), len(actual), 1)
        pairs = zip(_pad(expected, count), _pad(actual, count), strict=True)
        grades = [self.judge_one(self.select_line(wanted, want), got) for want, got in pairs]
        numbered = enumerate(grades, start=1)
        rows = [{"line_number": at, "score": g.score, "details": g.details} for at, g in numbered]
        return Grade(
            score=mean(grade.score for grade in grades),
            hits=_number_sentences(grades, "hits"),
            misses=_number_sentences(grades, "misses"),
            details={
                "line_by_line_results": rows,
                "total_lines_actual": len(actual),
                "total_lines_expected": len(expected),
                "aggregation_method": "average",
            },
        )

    @abstractmethod
    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        """Compare an output, or a line of it."""

    def select_line(self, wanted: Any, line: Any) -> Any:
        """Return what is expected of one line."""
        return line


class ByLine(Lines):
    """An evaluator of version 1.0 that can look at a text line by line."""

    line_by_line_evaluator: bool = Field(
        default=False, description="Whether each line is looked at on its own"
    )

    @property
    def by_line(self) -> bool:
        return self.line_by_line_evaluator and isinstance(self.target_output_key, str)


class OfExpectedOutput(OfOutput):
    """Wants the output that is expected of the case."""

    of_the_case: ClassVar[tuple[str, ...]] = ("expected_output",)

    expected_output: Output | None = Field(
        default=None,
        description="The output that is wanted; by default the answer of the eval set",
    )

    def find_expectation(self, case: Case) -> Wanted | None:
        """Return what is expected, if anything is."""
        wanted: Any = self.expected_output
        if wanted is None and case.expected and case.expected[-1].response is not None:
            wanted = uipath_outputs.unpack(case.expected[-1].response)
        return None if wanted is None else Wanted(self.select_expected(wanted))

    def select_expected(self, written: Any) -> Any:
        """The part of the expected output that is compared."""
        return standin_paths.convert_numbers(
            uipath_outputs.select_part(written, self.target_output_key, "the expected output")
        )


def _pad(lines: list[Any], count: int) -> list[Any]:
    return lines + [""] * (count - len(lines))


def _number_sentences(grades: Sequence[Grade], what: str) -> tuple[str, ...]:
    numbered = enumerate(grades, start=1)
    return tuple(f"line {at}: {said}" for at, g in numbered for said in getattr(g, what))
