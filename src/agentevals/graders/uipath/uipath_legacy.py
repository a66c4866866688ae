"""UiPath's evaluators from before version 1.0."""

import csv
import io
import json
from typing import Annotated, Any

from msgspec.structs import replace
from pydantic import BeforeValidator, Field

from agentevals.files.document_places import quote
from agentevals.graders.grader import Services
from agentevals.graders.uipath import uipath_outputs
from agentevals.graders.uipath.uipath_grader import Lines, OfExpectedOutput, OnePath
from agentevals.graders.uipath.uipath_outputs import (
    grade_share,
    grade_yes_or_no,
    quote_value,
    write_deviation,
)
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError
from agentevals_evaluator_sdk.standins.uipath import standin_paths, standin_similarity

_MISSING = object()
_WHOSE = ("the expected output", "the agent's output")


class LegacyEvaluator(OfExpectedOutput, Lines):
    """Compares with the expected output of the case. A side that lacks the path is empty."""

    target_output_key: OnePath = Field(
        default=standin_paths.WHOLE,
        description="The part to compare: `*` for all, or a path such as `items[0].name`",
    )
    line_by_line_evaluation: bool = Field(
        default=False, description="Whether each line is looked at on its own"
    )

    @property
    def by_line(self) -> bool:
        return self.line_by_line_evaluation

    @property
    def expects_nothing(self) -> bool:
        """True if the expected output of its settings lacks the path."""
        wanted = self.expected_output
        return wanted is not None and self._find_parts(wanted) == [_MISSING]

    def select_expected(self, written: Any) -> Any:
        return written

    def grade_run(self, case: Case, services: Services) -> Grade:
        """The grade, which names each side that lacks the path."""
        grade = super().grade_run(case, services)
        wanted = self.find_expectation(case)
        if grade.score is None or wanted is None:
            return grade
        parts = self._find_parts(wanted.value, uipath_outputs.read_output(case))
        lacking = [whose for whose, part in zip(_WHOSE, parts, strict=True) if part is _MISSING]
        said = tuple(f"{whose} has nothing at {quote(self.target_output_key)}" for whose in lacking)
        where = "hits" if grade.score >= 1 else "misses"
        return replace(grade, **{where: said + getattr(grade, where)})

    def read_sides(self, case: Case, wanted: Any) -> tuple[Any, Any]:
        actual = uipath_outputs.read_output(case)
        if self.by_line:
            expected, found = self._find_parts(wanted, actual)
            return expected, uipath_outputs.refuse_attachment(found)
        if isinstance(wanted, str) is not isinstance(actual, str):
            return wanted, actual  # a text has no parts, and is no object
        expected, found = self.find_parts(wanted, actual)
        return standin_paths.convert_numbers(expected), standin_paths.convert_numbers(found)

    def judge(self, wanted: Any, actual: Any) -> Grade:
        if wanted is _MISSING or actual is _MISSING:
            return Grade(score=float(wanted is actual))  # there are no lines to look at
        return super().judge(wanted, actual)

    def find_parts(self, *both: Any) -> list[Any]:
        """Find the value at the path on each side; an empty object if there is none."""
        return [{} if part is _MISSING else part for part in self._find_parts(*both)]

    def _find_parts(self, *both: Any) -> list[Any]:
        """A text is taken whole. A path that neither side has may be a key with dots in it."""
        key = self.target_output_key
        if key in {standin_paths.WHOLE, ""}:
            return list(both)
        found = [_find_part(side, standin_paths.split_path(key)) for side in both]
        if all(part is _MISSING for part in found):
            return [_find_part(side, (key,)) for side in both]
        return found


def _find_part(side: Any, steps: standin_paths.Steps) -> Any:
    if isinstance(side, str):
        return side
    try:
        return standin_paths.follow_path(side, steps)
    except standin_paths.MissingStepError:
        return _MISSING


class LegacyExactMatch(LegacyEvaluator):
    """1 if both are the same JSON, whatever the order of the keys; otherwise 0."""

    type = "uipath_legacy_exact_match"

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        return grade_yes_or_no(
            met=_encode_sorted(wanted) == _encode_sorted(actual),
            hit=f"the output is {quote_value(wanted)}",
            miss=f"the output is {write_deviation(actual, wanted)}",
            expected=str(wanted),
            actual=str(actual),
        )


def _encode_sorted(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


class LegacyJsonSimilarity(LegacyEvaluator):
    """The share of the expected leaves that the output has, from 0 to 1."""

    type = "uipath_legacy_json_similarity"

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        leaves = standin_similarity.compare(wanted, actual)
        hits, misses = ([str(leaves)], []) if leaves.share >= 1 else ([], [str(leaves)])
        return grade_share(leaves.share, hits, misses)


_CONTENT = "content"  # under which a file puts out what is in it


def _split_names(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    return tuple(name.strip() for name in given.split(",") if name.strip())


class LegacyCsvExactMatch(LegacyEvaluator):
    """1 if the columns have the same cells in the same rows; otherwise 0.

    The table is the output, or its `content`. Column names are the same in any letter case.
    """

    type = "uipath_legacy_csv_exact_match"

    target_sub_output_key: Annotated[
        tuple[str, ...], BeforeValidator(_split_names, json_schema_input_type=str | list[str])
    ] = Field(min_length=1, description="The columns, separated by commas")

    def read_sides(self, case: Case, wanted: Any) -> tuple[Any, Any]:
        expected, found = self.find_parts(wanted, uipath_outputs.read_output(case))
        return expected, found

    def judge(self, wanted: Any, actual: Any) -> Grade:
        expected = self._read_rows(wanted, "the expected output")
        found = self._read_rows(actual, "the agent's output")
        if self.by_line:
            return self.judge_each(wanted, expected, found)
        return self.judge_one(expected, found)

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        subject = "row is" if self.by_line else "rows are"
        return grade_yes_or_no(
            met=wanted == actual,
            hit=f"the columns {', '.join(self.target_sub_output_key)} are the expected ones",
            miss=f"the {subject} {write_deviation(actual, wanted)}",
        )

    def _read_rows(self, value: Any, whose: str) -> list[list[str]]:
        text = str(value.get(_CONTENT, "") if isinstance(value, dict) else value)
        if self.by_line:
            text = "\n".join(standin_paths.split_lines(text, self.line_delimiter))
        return _select_columns(text, self.target_sub_output_key, whose)


def _select_columns(text: str, names: tuple[str, ...], whose: str) -> list[list[str]]:
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
    except csv.Error as error:
        msg = f"{whose} is no table: {error}"
        raise EvaluatorError(msg) from None
    if not rows:
        msg = f"{whose} holds no table; check 'targetOutputKey'"
        raise EvaluatorError(msg)
    head = [name.strip().lower() for name in rows[0]]
    if missing := [name for name in names if name.lower() not in head]:
        msg = f"{whose} has no column {', '.join(missing)}"
        raise EvaluatorError(msg)
    places = [head.index(name.lower()) for name in names]
    return [[row[at] if at < len(row) else "" for at in places] for row in rows[1:]]
