from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, Field

from agentevals.files.keys import list_keys


class Round(BaseModel):
    shape: Literal["round"]
    radius: float


class Square(BaseModel):
    shape: Literal["square"]
    side: float = Field(validation_alias=AliasChoices("side", "edge"))


class Drawing(BaseModel):
    title: str = ""
    parts: list[Annotated[Round | Square, Field(discriminator="shape")]] = []
    folder: str = Field(default="", exclude=True)


def test_the_keys_of_a_model_are_those_that_people_write():
    assert list(list_keys(Drawing, ())) == ["title", "parts"]


def test_below_a_key_those_of_its_own_model_are_known():
    assert list(list_keys(Drawing, ("parts", 0, "round"))) == ["shape", "radius"]
    assert list(list_keys(Drawing, ("parts", 0))) == ["shape", "radius", "shape", "side"]


def test_other_spellings_are_known_where_they_are_asked_for():
    assert list(list_keys(Drawing, ("parts", 0, "square"), spelt=True)) == [
        *("shape", "side"),
        *("side", "edge"),
    ]
