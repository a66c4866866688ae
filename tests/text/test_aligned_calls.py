import pytest

from agentevals.text.aligned_calls import Call, Comparison, align, write_call, write_diff


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


LONG = "lorem ipsum dolor sit amet " * 27


def lookup(**args):
    return Call(name="lookup", args={"a_text": LONG} | args)


@pytest.mark.parametrize(
    ("expected", "actual", "lines"),
    [
        (
            [lookup(account="DE01")],
            [lookup(account="DE99")],
            ['- lookup(account: "DE01", …)', '+ lookup(account: "DE99", …)'],
        ),
        (
            [lookup(o={"x": [1, 2], "y": 1})],
            [lookup(o={"x": [1, 3], "y": 1})],
            ["- lookup(o.x: [1,2], …)", "+ lookup(o.x: [1,3], …)"],
        ),
        (
            [Call(name="b", args={}), lookup(account="DE01")],
            [lookup(account="DE99"), Call(name="b", args={})],
            [
                '- lookup(account: "DE01", …)',
                '+ lookup(account: "DE99", …)  # in another place',
            ],
        ),
        ([Call(name="f", args="x" * 900 + "1")], [Call(name="f", args="x" * 900 + "2")], None),
        ([Call(name="f", args=[1] * 900 + [2])], [Call(name="f", args=[1] * 900)], None),
    ],
)
def test_a_difference_behind_long_arguments_is_shown(expected, actual, lines):
    written = list(write_diff(Comparison(expected=expected, actual=actual)))
    wanted = [line for line in written if line[0] == "-"]
    made = [line for line in written if line[0] == "+"]

    assert [line for line in written if line[0] != " "] == (lines or written)
    assert len(wanted) == len(made) == 1
    assert wanted[0][2:] != made[0][2:]
    assert max(map(len, written)) < 420


def test_a_call_of_another_agent_says_so_and_is_no_difference():
    expected, actual = Call(name="refund", args={}), Call(name="refund", args={}, agent="returns")
    other = Call(name="refund", args={"order": 9}, agent="returns")

    assert write_call(actual) == "refund() by returns"
    assert [r.kind for r in align(Comparison(expected=[expected], actual=[actual])).rows] == ["="]
    assert list(write_diff(Comparison(expected=[expected], actual=[other]))) == [
        "- refund()",
        "+ refund(order: 9) by returns",
    ]
