"""Values that pydantic would take for something else: every setting of ours refuses them."""

from typing import Annotated

import pytest
from pydantic import BaseModel, BeforeValidator, Field

from agentevals.configs.dialects.agentevals import Config
from agentevals.files.pydantic_settings import find_mistaken
from agentevals.graders import GRADERS


class Inner(BaseModel):
    count: int = 0
    pair: tuple[str, int] = ("", 0)


class Outer(BaseModel):
    number: float = Field(default=0, validation_alias="amount")
    numbers: list[float] = []
    either: float | str = 0
    gate: Annotated[float | None, BeforeValidator(str, json_schema_input_type=float | bool)] = None
    inner: Inner | None = None
    named: dict[str, Inner] = {}
    switch: bool = False


@pytest.mark.parametrize(
    ("given", "way", "wanted"),
    [
        ({"amount": "1.5"}, ("amount",), "a number"),
        ({"amount": True}, ("amount",), "a number"),
        ({"numbers": [1, " 2 "]}, ("numbers", 1), "a number"),
        ({"gate": "0.6"}, ("gate",), "a number"),
        ({"inner": {"count": "1"}}, ("inner", "count"), "a whole number"),
        ({"inner": {"pair": ["1", "1"]}}, ("inner", "pair", 1), "a whole number"),
        ({"named": {"a": {"count": "1"}}}, ("named", "a", "count"), "a whole number"),
        ({"switch": 1}, ("switch",), "true or false"),
        ({"switch": "yes"}, ("switch",), "true or false"),
    ],
)
def test_what_is_wanted_and_where(given, way, wanted):
    assert [one[:2] for one in find_mistaken(Outer, given)] == [(way, wanted)]


@pytest.mark.parametrize(
    "given",
    [
        {"amount": 1, "numbers": [1, 2.5], "either": "1", "gate": True, "switch": False},
        {"amount": "many", "inner": None, "unknown": "1"},  # which pydantic refuses itself
        {"named": {"a": {"pair": ["1", 1]}}},
    ],
)
def test_what_pydantic_reads_rightly_is_not_mentioned(given):
    assert not [*find_mistaken(Outer, given)]


@pytest.mark.parametrize("name", ["code", "code_judge", "llm_judge", "cost", "uipath_class"])
@pytest.mark.parametrize("key", ["threshold", "weight", "required", "timeout", "memory_mb"])
def test_no_evaluator_takes_a_number_in_quotes(name, key):
    kind = GRADERS[name]
    known = key in kind.model_fields

    assert bool([*find_mistaken(kind, {key: "64"})]) is known


@pytest.mark.parametrize(
    "given",
    [
        {"jobs": "2"},
        {"gate": {"score": {"at_least": "0.5"}}},
        {"judge": {"budget": {"max_calls": "5"}}},
        {"prices": {"m": {"input": "1"}}},
    ],
)
def test_nor_does_the_rest_of_a_config(given):
    assert [*find_mistaken(Config, given)]
