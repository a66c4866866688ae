from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.alias_generators import to_camel

from agentevals.files import documents
from agentevals.files.pydantic_mistakes import list_keys, validate


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Round(Strict):
    type: Literal["round"]
    radius: float = Field(gt=0)


class Square(Strict):
    type: Literal["square"]
    side: int


class Item(Strict):
    size: Literal["small", "large"]


class Settings(Strict):
    text: str = ""
    number: float | None = Field(default=None, ge=0, le=1)
    count: int = 1
    flag: bool = False
    items: list[Item] = []
    words: list[str] = Field(default=[], max_length=2)
    file: Path | None = None
    shape: Annotated[Round | Square, Field(discriminator="type")] | None = None
    either: str | Item = ""
    even: int = 0
    level: str = Field(default="low", pattern="^(low|high)$")

    @field_validator("even")
    @classmethod
    def _even(cls, given):
        if given % 2:
            msg = "must be even"
            raise ValueError(msg)
        return given

    @model_validator(mode="after")
    def _together(self):
        if self.flag and self.count == 2:
            msg = "'flag' and a 'count' of 2 exclude each other"
            raise ValueError(msg)
        return self


class Spoken(Strict):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, loc_by_alias=False, extra="allow"
    )

    first_name: str


class Secret(Strict):
    model_config = ConfigDict(hide_input_in_errors=True)

    key: Literal["none"] = "none"


@pytest.fixture
def complaints(tmp_path):
    def of(text, model=Settings):
        path = tmp_path / "c.yaml"
        path.write_text(text)
        document = documents.read(path)
        made, problems = validate(model, document.value, document)
        assert (made is None) == bool(problems)
        return [(p.line, p.column, p.message) for p in problems]

    return of


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("text: 3", 7, "'text' must be text, not 3; write '3' in quotes"),
        ("text: no", 7, "'text' must be text, not false; write 'no' in quotes"),
        ("text: 012", 7, "'text' must be text, not 10; write '012' in quotes"),
        ("text: [a]", 7, "'text' must be text, not a list"),
        ("number: x", 9, "'number' must be a number, not 'x'"),
        ("number: true", 9, "'number' must be a number, not true"),
        ("number: '0.5'", 9, "'number' must be a number, not '0.5'"),
        ("count: '1'", 8, "'count' must be a whole number, not '1'"),
        ("number: 1.5", 9, "'number' must be at most 1, not 1.5"),
        ("number: -1", 9, "'number' must be at least 0, not -1"),
        ("count: 1.5", 8, "'count' must be a whole number, not 1.5"),
        ("count: null", 8, "'count' must be a whole number, not null"),
        ("flag: maybe", 7, "'flag' must be true or false, not 'maybe'"),
        ("items: {}", 8, "'items' must be a list, not a mapping"),
        ("items: [3]", 9, "'items[0]' must be a mapping, not 3"),
        ("items: [{size: big}]", 16, "'items[0].size' must be 'small' or 'large', not 'big'"),
        ("items: [{}]", 9, "'items[0].size' is missing"),
        ("items: [{siz: small}]", 9, "'items[0].size' is missing; write it instead of 'siz'"),
        ("file: {}", 7, "'file' must be text, not a mapping"),
        ("shape: {type: square, side: 1, zzz: 1}", 32,
         "unknown key 'shape.zzz' (known: type, side)"),
        ("txt: a", 1, "unknown key 'txt' (did you mean 'text'?)"),
        ("shape: {type: oval}", 8, "'shape.type' must be one of 'round', 'square', not 'oval'"),
        ("shape: {}", 8, "'shape.type' is missing"),
        ("shape: {type: round, radius: 0}", 30, "'shape.radius' must be more than 0, not 0"),
        ("shape: {type: square, side: 1, raduis: 1}", 32,
         "unknown key 'shape.raduis' (known: type, side)"),
        ("either: {size: big}", 16, "'either.size' must be 'small' or 'large', not 'big'"),
        ("either: 5", 9, "'either' must be text or a mapping, not 5; write '5' in quotes"),
        ("level: mid", 8, "'level' must match ^(low|high)$, not 'mid'"),
        ("words: [a, b, c]", 8, "'words' is not right: list should have at most 2 items after "),
        ("even: 3", 7, "'even': must be even"),
        ("{flag: true, count: 2}", 1, "'flag' and a 'count' of 2 exclude each other"),
    ],
)  # fmt: skip
def test_each_mistake_is_one_sentence_at_its_place(complaints, text, column, message):
    found = complaints(text)

    assert any(place == [1, column] and text.startswith(message) for *place, text in found)
    assert len(found) <= 2


def test_all_mistakes_at_once(complaints):
    found = complaints("text: 1\nnumber: 2\nitems:\n- size: small\n- size: big\nx: 1\n")

    assert sorted(line for line, _, _ in found) == [1, 2, 5, 6]


def test_long_and_hostile_values_are_shown_harmlessly(complaints):
    [(_, _, message)] = complaints('flag: "\\e[31m' + "x" * 500 + '"')

    assert message.startswith("'flag' must be true or false, not '\\x1b[31mxxx")
    assert len(message) < 120


@pytest.mark.parametrize("given", ["1", "0", "0.0", '"yes"', '"true"'])
def test_what_is_not_a_truth_value_is_not_taken_for_one(complaints, given):
    (found,) = complaints(f"flag: {given}")

    assert found[2].startswith("'flag' must be true or false, not ")


def test_a_list_that_is_empty_is_told_from_one_whose_items_are_wrong(tmp_path):
    class Line(Strict):
        items: tuple[Item, ...] = Field(min_length=1)

    path = tmp_path / "a.yaml"
    path.write_text("empty: {items: []}\nwrong: {items: [{size: big}]}\n")
    document = documents.read(path)

    empty, wrong = (
        [p.message for p in validate(Line, value, document, (key,))[1]]
        for key, value in document.value.items()
    )

    assert empty == ["'items' must not be empty"]
    assert wrong == ["'items[0].size' must be 'small' or 'large', not 'big'"]


def test_camel_case_is_found_where_snake_case_is_asked_for(complaints):
    assert complaints("firstName: 3", Spoken) == [
        (1, 12, "'firstName' must be text, not 3; write '3' in quotes")
    ]


def test_a_secret_is_never_repeated(complaints):
    assert complaints("key: sk-123", Secret) == [(1, 6, "'key' must be 'none', not what is here")]


def test_the_value_may_stand_deep_in_the_document(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text("list:\n- {}\n- count: x\n")
    document = documents.read(path)

    _, [problem] = validate(
        Settings, document.value["list"][1], document, ("list", 1), about="second: "
    )

    assert str(problem) == f"{path}:3:10: second: 'count' must be a whole number, not 'x'"


def test_a_path_of_many_keys_is_told_to_its_end(tmp_path):
    class Leaf(Strict):
        name: str

    class Branch(Strict):
        intermediate_data: list[Leaf]

    class Tree(Strict):
        conversation_of_the_case: list[Branch]

    path = tmp_path / "deep.json"
    path.write_text('{"conversation_of_the_case": [{"intermediate_data": [{}]}]}')
    document = documents.read(path)

    _, (problem,) = validate(Tree, document.value, document)

    name = "conversation_of_the_case[0].intermediate_data[0].name"
    assert problem.message == f"'{name}' is missing"


def test_a_long_value_is_cut_inside_its_quotes(tmp_path):
    path = tmp_path / "long.json"
    path.write_text('{"level": "' + "x" * 100 + '"}')
    document = documents.read(path)

    _, (problem,) = validate(Settings, document.value, document)

    assert problem.message.endswith(f"not '{'x' * 60}…'")


class RoundPart(BaseModel):
    shape: Literal["round"]
    radius: float


class SquarePart(BaseModel):
    shape: Literal["square"]
    side: float = Field(validation_alias=AliasChoices("side", "edge"))


class Drawing(BaseModel):
    title: str = ""
    parts: list[Annotated[RoundPart | SquarePart, Field(discriminator="shape")]] = []
    folder: str = Field(default="", exclude=True)


def test_the_keys_of_a_model_are_those_that_people_write():
    assert list(list_keys(Drawing, ())) == ["title", "parts"]


def test_below_a_key_those_of_its_own_model_are_known():
    assert list(list_keys(Drawing, ("parts", 0, "round"))) == ["shape", "radius"]
    assert list(list_keys(Drawing, ("parts", 0))) == ["shape", "radius", "shape", "side"]


def test_other_spellings_are_known_where_they_are_asked_for():
    assert list(list_keys(Drawing, ("parts", 0, "square"), spelt=True)) == [
        "shape",
        "side",
        "edge",
    ]


class Ways(BaseModel):
    pass_: list[RoundPart] = Field(default=[], alias="pass")


def test_a_key_is_called_as_people_write_it_where_python_cannot():
    assert list(list_keys(Ways, ())) == ["pass"]
    assert list(list_keys(Ways, ("pass", 0))) == ["shape", "radius"]
