import pytest

from agentevals.text.calls import Call, Comparison, align, differences, write_call, write_diff


def calls(*names):
    return [Call(name=name, args={}) for name in names]


def signs(expected, actual):
    rows, _, _ = align(Comparison(expected=expected, actual=actual))
    return "".join(row.kind for row in rows)


@pytest.mark.parametrize(
    ("expected", "actual", "kinds"),
    [
        ("ab", "ab", "=="),
        ("ab", "a", "=-"),
        ("a", "ab", "=+"),
        ("", "a", "+"),
        ("abc", "axc", "=-+="),
        ("ab", "ba", "~=~"),
        ("aab", "ab", "-=="),
        ("", "", ""),
    ],
)
def test_calls_are_lined_up(expected, actual, kinds):
    assert signs(calls(*expected), calls(*actual)) == kinds


def test_calls_of_one_name_belong_together():
    expected, actual = [Call(name="f", args={"a": 1})], [Call(name="f", args={"a": 2})]

    assert signs(expected, actual) == "≠"


def test_one_and_one_point_nought_are_equal_as_for_the_score():
    assert signs([Call(name="f", args={"a": 1})], [Call(name="f", args={"a": 1.0})]) == "="


def test_a_number_and_a_text_are_told_apart():
    found, same = differences({"a": 1, "b": 2}, {"a": "1", "b": 2})

    assert [(d.expected, d.actual) for d in found] == [("a: 1", 'a: "1"')]
    assert same == 1


def test_nested_arguments_are_named_by_their_path():
    found, same = differences({"o": {"x": 1, "y": 2}}, {"o": {"x": 1, "y": 3}})

    assert [(d.expected, d.actual) for d in found] == [("o.y: 2", "o.y: 3")]
    assert same == 1


def test_missing_and_empty_arguments_are_told_apart():
    found, _ = differences(None, {})

    assert (found[0].expected, found[0].actual) == ("arguments not stated", "no arguments: {}")


def test_a_null_argument_is_not_an_absent_one():
    found, _ = differences({"a": None}, {})

    assert (found[0].expected, found[0].actual) == ("a: null", "a: absent")


def test_long_texts_are_shown_where_they_differ():
    found, _ = differences({"t": "x" * 100 + "sunny"}, {"t": "x" * 100 + "rainy"})

    assert found[0].expected == f't: …{"x" * 12}sunny"'
    assert found[0].actual == f't: …{"x" * 12}rainy"'


@pytest.mark.parametrize(
    ("args", "text"),
    [(None, "f (arguments not stated)"), ({}, "f()"), ({"q": "x"}, 'f(q: "x")'), ([1], "f([1])")],
)
def test_a_call_is_written_as_people_do(args, text):
    assert write_call(Call(name="f", args=args)) == text


def test_a_diff_has_a_line_per_call():
    comparison = Comparison(expected=calls("a", "b"), actual=calls("a", "c"))

    assert list(write_diff(comparison)) == ["  a()", "- b()", "+ c()"]


def test_hundreds_of_calls_do_not_take_minutes():
    rows, _, left_out = align(Comparison(expected=calls(*"ab" * 400), actual=calls(*"ba" * 400)))

    assert left_out == 1_400
    assert len(rows) <= 200


def test_a_difference_after_thousands_of_equal_calls_is_shown():
    same = calls(*"abc" * 2_000)
    comparison = Comparison(expected=[*same, *calls("x")], actual=[*same, *calls("y")])

    assert list(write_diff(comparison)) == [
        "# 5,997 calls before are the same",
        "  a()",
        "  b()",
        "  c()",
        "- x()",
        "+ y()",
    ]
