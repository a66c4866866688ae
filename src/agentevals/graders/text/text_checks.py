"""Checks of the answer's text: what it contains, begins with, ends with or equals."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, NoReturn

from pydantic import Field

from agentevals.graders.agentv.assertions import Assertion, grade_binary
from agentevals.graders.grader import Services
from agentevals.graders.javascript import trim
from agentevals.model.cases import Case, Grade
from agentevals.model.completeness import Fact
from agentevals.model.errors import EvaluatorError

Text = Annotated[str, Field(min_length=1)]


class OneText(Assertion):
    """Is about one text, after which it is called where nobody gave it a name."""

    judges_by = frozenset({Fact.ANSWER})
    judges_last_turn_only = True

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

    judges_by = frozenset({Fact.ANSWER})
    judges_last_turn_only = True

    value: tuple[Text, ...] = Field(min_length=1, description="The texts")

    @classmethod
    def usual_name(cls, settings: Mapping[str, Any]) -> str:
        usual = super().usual_name(settings)
        value = settings.get("value")
        return f"{usual}-{len(value)}" if isinstance(value, list) else usual


_IN_ANY_CASE = " (case-insensitive)"


class Contains(OneText):
    """1 if the text occurs in the answer, letter by letter; otherwise 0."""

    type = "contains"

    def grade(self, case: Case, services: Services) -> Grade:
        return self.check(case.answer, self.value)

    def check(self, answer: str, text: str, remark: str = "") -> Grade:
        """Grade whether the text occurs in the answer."""
        return grade_binary(
            met=text in answer,
            hit=f'Output contains "{self.value}"{remark}',
            miss=f'Output does not contain "{self.value}"{remark}',
        )


class ContainsInAnyCase(Contains):
    """1 if the text occurs in the answer once both are lower case; otherwise 0."""

    type = "icontains"

    def grade(self, case: Case, services: Services) -> Grade:
        return self.check(case.answer.lower(), self.value.lower(), _IN_ANY_CASE)


class ContainsAny(SomeTexts):
    """1 if one of the texts occurs in the answer; otherwise 0."""

    type = "contains_any"

    def grade(self, case: Case, services: Services) -> Grade:
        return self.check([text for text in self.value if text in case.answer])

    def check(self, found: Sequence[str], remark: str = "") -> Grade:
        """Grade whether one of the texts was found."""
        return grade_binary(
            met=bool(found),
            hit=f'Output contains "{found[0]}"{remark}' if found else "",
            miss=f"Output does not contain any of: {quote_all(self.value)}{remark}",
        )


class ContainsAnyInAnyCase(ContainsAny):
    """1 if one of the texts occurs in the answer once all is lower case; otherwise 0."""

    type = "icontains_any"

    def grade(self, case: Case, services: Services) -> Grade:
        answer = case.answer.lower()
        return self.check([text for text in self.value if text.lower() in answer], _IN_ANY_CASE)


class ContainsAll(SomeTexts):
    """1 if every text occurs in the answer; otherwise 0, however many do."""

    type = "contains_all"

    def grade(self, case: Case, services: Services) -> Grade:
        return self.check([text for text in self.value if text not in case.answer])

    def check(self, missing: Sequence[str], remark: str = "") -> Grade:
        """Grade whether no text is missing."""
        return grade_binary(
            met=not missing,
            hit=f"Output contains all {len(self.value)} expected strings{remark}",
            miss=f"Output missing{remark}: {quote_all(missing)}",
        )


class ContainsAllInAnyCase(ContainsAll):
    """1 if every text occurs in the answer once all is lower case; otherwise 0."""

    type = "icontains_all"

    def grade(self, case: Case, services: Services) -> Grade:
        answer = case.answer.lower()
        return self.check([text for text in self.value if text.lower() not in answer], _IN_ANY_CASE)


class StartsWith(OneText):
    """1 if the answer begins with the text, ignoring white space around both; otherwise 0."""

    type = "starts_with"

    def grade(self, case: Case, services: Services) -> Grade:
        met = trim(case.answer).startswith(trim(self.value))
        return _grade_verb("starts with", "start with", self.value, met=met)


class EndsWith(OneText):
    """1 if the answer ends with the text, ignoring white space around both; otherwise 0."""

    type = "ends_with"

    def grade(self, case: Case, services: Services) -> Grade:
        met = trim(case.answer).endswith(trim(self.value))
        return _grade_verb("ends with", "end with", self.value, met=met)


class Equals(OneText):
    """1 if the answer is the text, ignoring white space around both; otherwise 0."""

    type = "equals"

    def grade(self, case: Case, services: Services) -> Grade:
        met = trim(case.answer) == trim(self.value)
        return _grade_verb("equals", "equal", self.value, met=met)


def _grade_verb(does: str, do: str, text: str, *, met: bool) -> Grade:
    said = f'Output {does} "{text}"' if met else f'Output does not {do} "{text}"'
    return grade_binary(met=met, hit=said, miss=said)


def quote_all(texts: Sequence[str]) -> str:
    """Return the texts as a sentence names them."""
    return ", ".join(f'"{text}"' for text in texts)


class IsJson(Assertion):
    """1 if the answer is one value of JSON and nothing else, no fences either; otherwise 0."""

    type = "is_json"
    judges_by = frozenset({Fact.ANSWER})
    judges_last_turn_only = True

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
