import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.contains_any import ContainsAny
from tests.support import case


def test_the_first_text_that_occurs_is_named():
    grader = ContainsAny(name="c", value=["beta", "alpha"])

    assert grader.grade(case("alpha beta"), Services()).hits == ('Output contains "beta"',)


def test_none_of_them_is_a_miss():
    grade = ContainsAny(name="c", value=["alpha", "beta"]).grade(case("gamma"), Services())

    assert grade.score == 0
    assert grade.misses == ('Output does not contain any of: "alpha", "beta"',)


@pytest.mark.parametrize("value", ["alpha", [], [""], [1]])
def test_what_is_looked_for_are_texts(value):
    with pytest.raises(ValueError, match="value"):
        ContainsAny(name="c", value=value)


def test_it_is_called_after_the_number_of_its_texts():
    assert ContainsAny.usual_name({"value": ["a", "b"]}) == "contains-any-2"
    assert ContainsAny.usual_name({}) == "contains-any"
