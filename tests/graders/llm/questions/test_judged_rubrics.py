import pytest
from pydantic import BaseModel, ValidationError

from agentevals.graders.llm.questions.judged_rubrics import RubricList, select_rubrics
from agentevals.model.cases import Rubric
from agentevals.model.errors import EvaluatorError
from tests.support import case


class Holder(BaseModel):
    rubrics: RubricList = ()


def rubrics(*given):
    return Holder(rubrics=list(given)).rubrics


def ids(*own, of=(), kind="K", turn=None):
    return [r.rubric_id for r in select_rubrics(rubrics(*own), case(rubrics=of), kind, turn)]


def test_plain_texts_are_numbered():
    named = [(rubric.id, rubric.text) for rubric in rubrics("Is polite", {"id": "b", "text": "x"})]

    assert named == [("rubric_0", "Is polite"), ("b", "x")]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "two rubrics have the id 'a'"),
        ([{"id": "rubric_1", "text": "x"}, "y"], "two rubrics have the id 'rubric_1'"),
        (["  "], "at least 1 character"),
        ([{"id": " ", "text": "x"}], "at least 1 character"),
        ([{"id": "a"}], "text"),
        ([{"id": "a", "text": "x", "weight": 2}], "weight"),
        ([7], "rubrics"),
        ("polite", "rubrics"),
    ],
)
def test_rubrics_that_cannot_be_told_apart_or_say_nothing(given, problem):
    with pytest.raises(ValidationError, match=problem):
        Holder(rubrics=given)


def test_the_schema_for_editors_knows_both_spellings():
    items = Holder.model_json_schema()["properties"]["rubrics"]["items"]

    assert {"type": "string"} in items["anyOf"]


def test_rubrics_of_the_case_join_those_of_the_evaluator():
    of = (
        Rubric(rubric_id="any", text="t"),
        Rubric(rubric_id="mine", text="t", kind="k"),
        Rubric(rubric_id="other", text="t", kind="OTHER"),
    )

    assert ids("own", of=of) == ["rubric_0", "any", "mine"]


def test_a_turn_has_its_own_rubrics():
    of = (
        Rubric(rubric_id="first", text="t", turn=0),
        Rubric(rubric_id="second", text="t", turn=1),
        Rubric(rubric_id="all", text="t"),
    )

    assert ids(of=of, turn=1) == ["second", "all"]
    assert ids(of=of) == ["first", "second", "all"]


def test_the_same_rubric_twice_is_one():
    same = Rubric(rubric_id="a", text="x")

    assert ids({"id": "a", "text": "x"}, of=(same, same)) == ["a"]


def test_two_rubrics_of_one_name_are_an_error():
    with pytest.raises(EvaluatorError, match="two rubrics have the id 'a'; rename"):
        ids({"id": "a", "text": "x"}, of=(Rubric(rubric_id="a", text="y"),))
