"""`uipath-legacy-csv-exact-match`: some columns of a table are the expected ones."""

import csv
import io
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from agentevals.graders.uipath import outputs
from agentevals.graders.uipath.legacy import LegacyEvaluator
from agentevals.graders.uipath.sentences import shown, yes_or_no
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError

_CONTENT = "content"  # under which a file puts out what is in it


def _split(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    return tuple(name.strip() for name in given.split(",") if name.strip())


class LegacyCsvExactMatch(LegacyEvaluator):
    """1 where the columns have the same cells in the same rows; otherwise 0.

    The table is the output, or its `content`. Column names are the same in any letter case.
    """

    type = "uipath_legacy_csv_exact_match"

    target_sub_output_key: Annotated[
        tuple[str, ...], BeforeValidator(_split, json_schema_input_type=str | list[str])
    ] = Field(min_length=1, description="The columns, separated by commas")

    def sides(self, case: Case, wanted: Any) -> tuple[Any, Any]:
        expected, found = self.parts(wanted, outputs.of_case(case))
        return expected, found

    def judge(self, wanted: Any, actual: Any) -> Grade:
        expected = self._rows(wanted, "the expected output")
        found = self._rows(actual, "the agent's output")
        if self.by_line:
            return self.judge_each(wanted, expected, found)
        return self.judge_one(expected, found)

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        subject = "row is" if self.by_line else "rows are"
        return yes_or_no(
            met=wanted == actual,
            hit=f"the columns {', '.join(self.target_sub_output_key)} are the expected ones",
            miss=f"the {subject} {shown(actual)}, not {shown(wanted)}",
        )

    def _rows(self, value: Any, whose: str) -> list[list[str]]:
        text = str(value.get(_CONTENT, "") if isinstance(value, dict) else value)
        if self.by_line:
            text = "\n".join(outputs.lines(text, self.line_delimiter))
        return _columns(text, self.target_sub_output_key, whose)


def _columns(text: str, names: tuple[str, ...], whose: str) -> list[list[str]]:
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
