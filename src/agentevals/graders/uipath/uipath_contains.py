"""`uipath-contains`: the output has a text in it."""

from typing import Any

from pydantic import Field

from agentevals.graders.uipath.sentences import shown, yes_or_no
from agentevals.graders.uipath.settings import ByLine
from agentevals.model.cases import Case, Grade


class Contains(ByLine):
    """1 where the text occurs in the output, otherwise 0.

    An object is searched as Python prints it, with its numbers as floats.
    """

    type = "uipath_contains"
    of_the_case = ("search_text",)

    search_text: str = Field(description="The text")
    case_sensitive: bool = Field(default=False, description="Whether upper and lower case differ")
    negated: bool = Field(default=False, description="Whether the text must not occur")

    def expectation(self, case: Case) -> str:
        return self.search_text

    def line(self, wanted: Any, line: str) -> Any:
        return wanted

    def judge_one(self, wanted: Any, actual: Any) -> Grade:
        text, searched = str(wanted), str(actual)
        if not self.case_sensitive:
            text, searched = text.lower(), searched.lower()
        found = text in searched
        hit, miss = (
            f"the output contains {shown(text)}",
            f"the output does not contain {shown(text)}; it is {shown(actual)}",
        )
        if self.negated:
            hit, miss = f"the output does not contain {shown(text)}", hit
        return yes_or_no(
            met=found is not self.negated, hit=hit, miss=miss, expected=text, actual=searched
        )
