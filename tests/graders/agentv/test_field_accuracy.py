import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agentevals.graders.agentv.field_accuracy import FieldAccuracy
from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.model.cases import Status, Task
from tests.support import case, paired, turn

AB = [{"path": "a"}, {"path": "b"}]


def graded(answer, expected, fields=AB, **settings):
    said = answer if isinstance(answer, str) else json.dumps(answer)
    task = Task(expected_output=({"role": "assistant", "content": expected},))
    grader = FieldAccuracy(name="f", fields=fields, **settings)
    return grader.grade(case(said, task=task), Services())


@pytest.mark.parametrize(
    ("aggregation", "score"),
    [("weighted_average", 0.75), ("all_or_nothing", 0), ("minimum", 0)],
)
def test_fields_come_to_one_score(aggregation, score):
    fields = [{"path": "a", "weight": 3}, {"path": "b"}]
    grade = graded({"a": 1, "b": 0}, {"a": 1, "b": 2}, fields, aggregation=aggregation)

    assert grade.score == score
    assert (grade.hits, grade.misses) == (("a",), ("b (value mismatch)",))
    assert grade.reasoning == "1/2 fields matched"


@pytest.mark.parametrize("aggregation", ["weighted_average", "all_or_nothing", "minimum"])
def test_all_fields_right_is_one(aggregation):
    assert graded({"a": 1, "b": 2}, {"a": 1, "b": 2}, aggregation=aggregation).score == 1


def test_weights_that_come_to_nothing():
    fields = [{"path": "a", "weight": 0}, {"path": "b", "weight": 0}]

    assert graded({"a": 1, "b": 2}, {"a": 1, "b": 2}, fields).score == 0


def test_weights_that_are_too_large_to_add_up_are_refused():
    with pytest.raises(ValidationError, match="less than or equal to 1000000000"):
        graded({"a": 1}, {"a": 1}, [{"path": "a", "weight": 1e308}])


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=2), st.booleans(), st.booleans())
def test_a_score_is_from_0_to_1_whatever_the_weights(weights, a, b):
    fields = [{"path": key, "weight": weight} for key, weight in zip("ab", weights, strict=True)]

    assert 0 <= graded({"a": a, "b": b}, {"a": True, "b": True}, fields).score <= 1


def test_four_of_them_are_named_and_all_of_them_are_in_the_details():
    fields = [{"path": key} for key in "abcdef"]
    grade = graded({}, dict.fromkeys("abcdef", 1), fields)

    assert len(grade.misses) == 4
    assert [field["path"] for field in grade.details["fields"]] == list("abcdef")


def test_the_values_are_in_the_details():
    field, missing = graded({"a": "x" * 5000}, {"a": 1, "b": [None]}).details["fields"]

    assert (field["expected"], len(field["found"])) == ("1", 200)
    assert missing == {
        "path": "b",
        "met": False,
        "weight": 1,
        "said": "b (required, missing)",
        "expected": "[null]",
    }


@pytest.mark.parametrize(
    ("answer", "expected", "miss"),
    [
        ("no json", {"a": 1}, "Failed to parse candidate answer as JSON"),
        ("{}", "no json", "No expected data found in expected_output"),
        ("{}", None, "No expected data found in expected_output"),
    ],
)
def test_where_there_is_nothing_to_compare(answer, expected, miss):
    grade = graded(answer, expected)

    assert (grade.score, grade.misses) == (0, (miss,))


def test_the_last_expected_turn_says_what_is_expected_where_no_message_does():
    turns = [turn('{"a": 1, "b": 2}')]
    expected = [turn('{"a": 0}'), turn('{"a": 1, "b": 2}')]
    grade = FieldAccuracy(name="f", fields=AB).grade(paired(turns, expected), Services())

    assert grade.score == 1


def test_without_any_expectation_nothing_is_judged():
    grade = FieldAccuracy(name="f", fields=AB).grade(case("{}", unpaired="no case"), Services())

    assert (grade.status, grade.misses) == (Status.NOT_EVALUATED, ("no case",))


def test_an_expected_pattern_that_is_none_is_an_error_and_no_score():
    fields = [{"path": "a", "match": "regex"}]
    task = Task(expected_output=({"role": "assistant", "content": {"a": "("}},))
    result = grade_case(
        FieldAccuracy(name="f", fields=fields), case('{"a": "x"}', task=task), Services()
    )

    assert (result.status, result.score) == (Status.ERROR, None)
    assert "the field 'a'" in result.error


@pytest.mark.parametrize("fields", [[], None, "a", [5], [{}]])
def test_what_names_no_field_is_refused(fields):
    with pytest.raises(ValidationError):
        FieldAccuracy(name="f", fields=fields)


def test_a_whole_number_is_shown_as_it_was_written():
    answer = '{"a": 100, "b": [-5, 0.5, {"c": 1e300}]}'

    fields = graded(answer, {"a": 100, "b": 1}).details["fields"]

    assert [field["found"] for field in fields] == ["100", '[-5,0.5,{"c":1e300}]']
