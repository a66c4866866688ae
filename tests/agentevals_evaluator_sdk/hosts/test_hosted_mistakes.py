from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from agentevals_evaluator_sdk.hosts.hosted_mistakes import explain


class Criteria(BaseModel):
    model_config = ConfigDict(extra="forbid")

    word: str = ""
    words: list[str] = []
    share: float = Field(default=0, ge=0)
    most: int = 0
    sure: bool = False
    table: dict[str, str] = {}
    mode: Literal["all", "any"] = "all"
    few: list[int] = Field(default=[1], min_length=1)
    even: int = 0

    @field_validator("even")
    @classmethod
    def _refuse_odd(cls, value: int) -> int:
        if value % 2:
            msg = "must be even"
            raise ValueError(msg)
        return value


class Needed(BaseModel):
    word: str


def explained(given, model=Criteria):
    with pytest.raises(ValueError, match="validation error") as refused:
        model.model_validate(given)
    return explain(refused.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"word": 1}, "'word' must be text, not 1"),
        ({"word": ["a"]}, "'word' must be text, not a list"),
        ({"words": ["a", {"b": 1}]}, "'words[1]' must be text, not a mapping"),
        ({"share": "much"}, "'share' must be a number, not 'much'"),
        ({"share": -1}, "'share' must be greater than or equal to 0, not -1"),
        ({"most": 1.5}, "'most' must be a whole number, not 1.5"),
        ({"most": "one"}, "'most' must be a whole number, not 'one'"),
        ({"sure": "maybe"}, "'sure' must be true or false, not 'maybe'"),
        ({"table": {"a": None}}, "'table.a' must be text, not null"),
        ({"table": True}, "'table' must be a mapping, not true"),
        ({"mode": "al"}, "'mode' must be 'all' or 'any', not 'al'"),
        ({"even": 3}, "'even': must be even"),
        ({"unheard": 1}, "'unheard' is an unknown key"),
        ("x" * 99, f"the value must be a mapping, not '{'x' * 59}…"),
        ({"word": 1, "sure": 2}, "'word' must be text, not 1; 'sure' must be true or false, not 2"),
    ],
)
def test_each_mistake_is_a_sentence_with_its_key(given, told):
    assert explained(given) == f"cannot be made: {told}"


def test_a_rule_that_has_no_words_of_its_own_is_told_in_those_of_pydantic():
    assert explained({"few": []}).startswith("cannot be made: 'few' is not right: list should have")


def test_a_key_that_is_missing_is_named():
    assert explained({}, Needed) == "cannot be made: 'word' is missing"


def test_an_error_of_anything_else_keeps_its_words():
    assert explain(OSError("out of reach")) == "cannot be made: out of reach"
