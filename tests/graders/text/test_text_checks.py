import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.text_checks import (
    Contains,
    ContainsAll,
    ContainsAllInAnyCase,
    ContainsAny,
    ContainsAnyInAnyCase,
    ContainsInAnyCase,
    EndsWith,
    Equals,
    IsJson,
    StartsWith,
    quote_all,
)
from agentevals.model.errors import EvaluatorError
from tests.support import case


def test_texts_are_named_in_quotes():
    assert quote_all(["a", "b c"]) == '"a", "b c"'


@pytest.mark.parametrize(
    ("answer", "value", "score"),
    [
        ("it is DENIED", "DENIED", 1),
        ("it is denied", "DENIED", 0),
        ("", "x", 0),
        (None, "x", 0),
        ("a\r\nb", "a\nb", 0),
        ("cafe\u0301", "caf\u00e9", 0),
        ("price is $5.00 (USD)", "$5.00 (", 1),
    ],
)
def test_a_text_is_found_letter_by_letter(answer, value, score):
    assert Contains(name="c", value=value).grade(case(answer), Services()).score == score


def test_a_sentence_says_what_was_looked_for():
    grader = Contains(name="c", value='"hi"')

    assert grader.grade(case('say "hi"'), Services()).hits == ('Output contains ""hi""',)
    assert grader.grade(case("say"), Services()).misses == ('Output does not contain ""hi""',)


@pytest.mark.parametrize("value", ["", 42, None, ["x"]])
def test_what_is_looked_for_is_a_text(value):
    with pytest.raises(ValueError, match="value"):
        Contains(name="c", value=value)


def test_it_is_called_after_its_text():
    assert Contains.usual_name({"value": "yes"}) == "contains-yes"
    assert Contains.usual_name({"value": 42}) == "contains"


def test_all_texts_have_to_be_there():
    grader = ContainsAll(name="c", value=["alpha", "beta", "gamma"])

    assert grader.grade(case("gamma beta alpha"), Services()).hits == (
        "Output contains all 3 expected strings",
    )


def test_some_of_them_are_worth_nothing_and_the_others_are_named():
    grade = ContainsAll(name="c", value=["alpha", "beta", "gamma"]).grade(case("alpha"), Services())

    assert grade.score == 0
    assert grade.misses == ('Output missing: "beta", "gamma"',)


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


@pytest.mark.parametrize(
    ("answer", "value", "score"),
    [
        ("Hello WORLD", "world", 1),
        ("hello", "HELLO", 1),
        ("STRASSE", "straße", 0),
        ("İSTANBUL", "istanbul", 0),
    ],
)
def test_both_are_lower_case_and_no_more_than_that(answer, value, score):
    grader = ContainsInAnyCase(name="c", value=value)

    assert grader.grade(case(answer), Services()).score == score


def test_a_sentence_says_that_case_does_not_matter():
    grader = ContainsInAnyCase(name="c", value="x")

    assert grader.grade(case("X"), Services()).hits == ('Output contains "x" (case-insensitive)',)
    assert grader.grade(case("y"), Services()).reasoning == (
        'Output does not contain "x" (case-insensitive)'
    )


def test_case_does_not_matter():
    grader = ContainsAllInAnyCase(name="c", value=["Alpha", "beta"])

    assert grader.grade(case("aLPHA BETA"), Services()).hits == (
        "Output contains all 2 expected strings (case-insensitive)",
    )
    assert grader.grade(case("beta"), Services()).misses == (
        'Output missing (case-insensitive): "Alpha"',
    )


def test_case_does_not_matter_for_any_of_several_texts():
    grader = ContainsAnyInAnyCase(name="c", value=["bar", "foo"])

    assert grader.grade(case("FOO"), Services()).hits == (
        'Output contains "foo" (case-insensitive)',
    )
    assert grader.grade(case("qux"), Services()).misses == (
        'Output does not contain any of: "bar", "foo" (case-insensitive)',
    )


@pytest.mark.parametrize(
    ("answer", "value", "score"),
    [
        ("Hello there", "  Hello ", 1),
        ("\ufeff\n Hello", "Hello", 1),
        ("Oh, Hello", "Hello", 0),
        ("hello", "Hello", 0),
    ],
)
def test_white_space_around_both_does_not_matter(answer, value, score):
    assert StartsWith(name="s", value=value).grade(case(answer), Services()).score == score


def test_a_sentence_says_the_text_as_it_was_written():
    grade = StartsWith(name="s", value=" Hi ").grade(case("no"), Services())

    assert grade.misses == ('Output does not start with " Hi "',)


@pytest.mark.parametrize(
    ("answer", "score"), [("the end.  \n", 1), ("the end!", 0), ("end. no", 0)]
)
def test_white_space_around_both_does_not_matter_at_the_end(answer, score):
    assert EndsWith(name="e", value="end.").grade(case(answer), Services()).score == score


def test_a_sentence_says_how_it_should_end():
    grade = EndsWith(name="e", value="end.").grade(case("no"), Services())

    assert grade.misses == ('Output does not end with "end."',)


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("42", 1),
        ("\u00a042\ufeff\n", 1),
        ("\u200b42", 0),
        ("42.0", 0),
        ("4 2", 0),
        ("", 0),
    ],
)
def test_only_white_space_around_it_does_not_matter(answer, score):
    assert Equals(name="e", value="42").grade(case(answer), Services()).score == score


def test_a_number_is_no_text():
    with pytest.raises(ValueError, match="value"):
        Equals(name="e", value=42)


@pytest.mark.parametrize(
    "answer",
    [
        '{"a": 1}',
        "  [1, 2]\n",
        "42",
        '"x"',
        "null",
        '{"a":1,"a":2}',
        "1e999",
        '"\\ud800"',
        "9" * 9000,
    ],
)
def test_any_value_of_json_will_do(answer):
    assert IsJson(name="j").grade(case(answer), Services()).score == 1


@pytest.mark.parametrize(
    "answer",
    [
        *("", "no", "{'a':1}", "NaN", "Infinity", "\ufeff{}", "01", "[1,]", "1 2", "\u00a01"),
        "```json\n{}\n```",
        '"a\nb"',
    ],
)
def test_what_is_nearly_json_is_not(answer):
    assert IsJson(name="j").grade(case(answer), Services()).misses == ("Output is not valid JSON",)


def test_an_answer_that_nobody_can_read_is_no_judgement():
    with pytest.raises(EvaluatorError, match="nested too deeply"):
        IsJson(name="j").grade(case("[" * 200_000 + "]" * 200_000), Services())
