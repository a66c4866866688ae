"""Checks of the answer's text: what it contains, begins with, ends with or equals."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, NoReturn

from pydantic import Field

from agentevals.graders.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.javascript import trim
from agentevals.model.cases import Case, Grade
from agentevals.model.errors import EvaluatorError

Text = Annotated[str, Field(min_length=1)]


class OneText(Assertion):
    """Is about one text, after which it is called where nobody gave it a name."""

    value: Text = Field(description="The text")

    # how many characters of the text belong to the name; None is all of them
    in_name: ClassVar[int | None] = None

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:
        usual = super().usual_name(settings)
        value = settings.get("value")
        return f"{usual}-{value[: cls.in_name]}" if isinstance(value, str) else usual


class SomeTexts(Assertion):
    """Is about several texts, and is called after their number."""

    value: tuple[Text, ...] = Field(min_length=1, description="The texts")

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:
        usual = super().usual_name(settings)
        value = settings.get("value")
        return f"{usual}-{len(value)}" if isinstance(value, list) else usual


class Contains(OneText):
    """1 where the text occurs in the answer, letter by letter; otherwise 0."""

    type = "contains"

    def grade(self, case: Case, services: Services) -> Grade:
        return _check_one(self.value, met=self.value in case.answer)


class ContainsInAnyCase(OneText):
    """1 where the text occurs in the answer once both are lower case; otherwise 0."""

    type = "icontains"

    def grade(self, case: Case, services: Services) -> Grade:
        met = self.value.lower() in case.answer.lower()
        return _check_one(self.value, met=met, remark=_IN_ANY_CASE)


class ContainsAny(SomeTexts):
    """1 where one of the texts occurs in the answer; otherwise 0."""

    type = "contains_any"

    def grade(self, case: Case, services: Services) -> Grade:
        found = [text for text in self.value if text in case.answer]
        return _check_any(self.value, found)


class ContainsAnyInAnyCase(SomeTexts):
    """1 where one of the texts occurs in the answer once all is lower case; otherwise 0."""

    type = "icontains_any"

    def grade(self, case: Case, services: Services) -> Grade:
        answer = case.answer.lower()
        found = [text for text in self.value if text.lower() in answer]
        return _check_any(self.value, found, _IN_ANY_CASE)


class ContainsAll(SomeTexts):
    """1 where every text occurs in the answer; otherwise 0, however many do."""

    type = "contains_all"

    def grade(self, case: Case, services: Services) -> Grade:
        missing = [text for text in self.value if text not in case.answer]
        return _check_all(self.value, missing)


class ContainsAllInAnyCase(SomeTexts):
    """1 where every text occurs in the answer once all is lower case; otherwise 0."""

    type = "icontains_all"

    def grade(self, case: Case, services: Services) -> Grade:
        answer = case.answer.lower()
        missing = [text for text in self.value if text.lower() not in answer]
        return _check_all(self.value, missing, _IN_ANY_CASE)


class StartsWith(OneText):
    """1 where the answer begins with the text, white space around both aside; otherwise 0."""

    type = "starts_with"

    def grade(self, case: Case, services: Services) -> Grade:
        return grade_binary(
            met=trim(case.answer).startswith(trim(self.value)),
            hit=f'Output starts with "{self.value}"',
            miss=f'Output does not start with "{self.value}"',
        )


class EndsWith(OneText):
    """1 where the answer ends with the text, white space around both aside; otherwise 0."""

    type = "ends_with"

    def grade(self, case: Case, services: Services) -> Grade:
        return grade_binary(
            met=trim(case.answer).endswith(trim(self.value)),
            hit=f'Output ends with "{self.value}"',
            miss=f'Output does not end with "{self.value}"',
        )


class Equals(OneText):
    """1 where the answer is the text, white space around both aside; otherwise 0."""

    type = "equals"

    def grade(self, case: Case, services: Services) -> Grade:
        return grade_binary(
            met=trim(case.answer) == trim(self.value),
            hit=f'Output equals "{self.value}"',
            miss=f'Output does not equal "{self.value}"',
        )


_IN_ANY_CASE = " (case-insensitive)"


def _check_one(text: str, *, met: bool, remark: str = "") -> Grade:
    return grade_binary(
        met=met,
        hit=f'Output contains "{text}"{remark}',
        miss=f'Output does not contain "{text}"{remark}',
    )


def _check_any(texts: Sequence[str], found: Sequence[str], remark: str = "") -> Grade:
    return grade_binary(
        met=bool(found),
        hit=f'Output contains "{found[0]}"{remark}' if found else "",
        miss=f"Output does not contain any of: {quote_all(texts)}{remark}",
    )


def _check_all(texts: Sequence[str], missing: Sequence[str], remark: str = "") -> Grade:
    return grade_binary(
        met=not missing,
        hit=f"Output contains all {len(texts)} expected strings{remark}",
        miss=f"Output missing{remark}: {quote_all(missing)}",
    )


def quote_all(texts: Sequence[str]) -> str:
    """Return the texts as a sentence names them."""
    return ", ".join(f'"{text}"' for text in texts)


class IsJson(Assertion):
    """1 where the answer is one value of JSON and nothing else, no fences either; otherwise 0."""

    type = "is_json"

    def grade(self, case: Case, services: Services) -> Grade:
        return grade_binary(
            met=_is_json(case.answer),
            hit="Output is valid JSON",
            miss="Output is not valid JSON",
        )


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=len, parse_constant=_refuse)  # numbers may be of any length
    except RecursionError as error:
        msg = "the answer is nested too deeply to say whether it is JSON"
        raise EvaluatorError(msg) from error
    except ValueError:
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
