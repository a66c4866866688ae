import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_tool_calls import (
    ToolCallArgs,
    ToolCallCount,
    ToolCallOrder,
    ToolCallOutput,
)
from agentevals.model.errors import EvaluatorError
from tests.graders.uipath.cases import of, tool


def grade(counts, names, strict=False):
    spans = (tool(name, at=at) for at, name in enumerate(names))
    grader = ToolCallCount(name="n", tool_calls_count=counts, strict=strict)
    return grader.grade(of("", *spans), Services())


@pytest.mark.parametrize(
    ("counts", "names", "strict", "score"),
    [
        ({"a": ("=", 1), "b": ("==", 2), "c": (">=", 1)}, "abb", False, 2 / 3),
        ({"a": ("=", 1), "b": ("!=", 2)}, "abb", True, 0),
        ({"a": (">", 0), "b": ("<=", 2)}, "abb", True, 1),
        ({"a": ("=", 0)}, "", False, 0),
        ({}, "", False, 1),
        ({}, "a", False, 0),
    ],
)
def test_score(counts, names, strict, score):
    assert grade(counts, names, strict).score == score


def test_it_says_what_was_counted():
    found = grade({"a": ("=", 2)}, "a")

    assert found.misses == ("a was called 1 time (= 2 expected)",)


@pytest.mark.parametrize("count", [("~", 1), ("=", 1.5), 1, (), ("=",), ("=", 1, 2)])
def test_what_is_no_count_is_refused(count):
    with pytest.raises(ValidationError):
        ToolCallCount(name="n", tool_calls_count={"a": count})


def grade_order(expected, *names, strict=False):
    spans = (tool(name, at=at) for at, name in enumerate(names))
    grader = ToolCallOrder(name="o", tool_calls_order=tuple(expected), strict=strict)
    return grader.grade(of("", *spans), Services())


@pytest.mark.parametrize(
    ("expected", "names", "strict", "score"),
    [
        ("abc", "abc", False, 1),
        ("abc", "axbc", False, 1),
        ("abc", "axbc", True, 0),
        ("abc", "abc", True, 1),
        ("ab", "a", True, 0),
        ("abc", "ac", False, 2 / 3),
        ("ab", "ba", False, 1 / 2),
        ("", "", False, 1),
        ("", "a", False, 0),
        ("a", "", False, 0),
    ],
)
def test_score_by_order(expected, names, strict, score):
    assert grade_order(expected, *names, strict=strict).score == score


def test_it_says_which_calls_were_in_their_place():
    found = grade_order("abc", *"ac")

    assert found.details["lcs"] == ["a", "c"]
    assert found.misses == ("b was not called in its place; called: a, c",)


def test_calls_without_end_are_refused():
    with pytest.raises(EvaluatorError, match="are too many"):
        grade_order("a" * 3000, *("a" * 3000))


CALLED = (tool("a", {"x": 1, "y": 2}, at=1), tool("a", {"x": 3}, at=2), tool("b", {}, at=3))


@pytest.mark.parametrize(
    ("wanted", "strict", "score"),
    [
        ([("a", {"x": 3}), ("a", {"x": 1})], False, 1),
        ([("a", {"x": 1.0}), ("b", {})], True, 1),
        ([("a", {"x": 1}), ("a", {"x": 1})], False, 1 / 2),
        ([("a", {"x": 1}), ("a", {"x": 1})], True, 0),
        ([("a", {"z": None})], False, 0),
        ([], False, 0),
    ],
)
def test_score_by_args(wanted, strict, score):
    expected = [{"name": name, "args": args} for name, args in wanted]
    grader = ToolCallArgs(name="g", tool_calls=expected, strict=strict)

    assert grader.grade(of("", *CALLED), Services()).score == score


def test_a_call_is_found_by_its_id():
    grader = ToolCallArgs(name="g", tool_calls=[{"name": "was", "id": "7", "args": {}}])

    assert grader.grade(of("", tool("is", {}, **{"tool.id": 7})), Services()).score == 1


@pytest.mark.parametrize(
    ("name", "miss"),
    [
        ("a", "a was not called with {'x': 9}, but with {'x': 1, 'y': 2}, {'x': 3}"),
        ("c", "c was not called with {'x': 9}; called: a, a, b"),
    ],
)
def test_a_miss_says_what_was_called_instead(name, miss):
    grader = ToolCallArgs(name="g", tool_calls=[{"name": name, "args": {"x": 9}}])

    assert grader.grade(of("", *CALLED), Services()).misses == (miss,)


def test_of_many_calls_the_first_are_named():
    grader = ToolCallArgs(name="g", tool_calls=[{"name": "c", "args": {}}])
    spans = (tool("a", {}, at=at) for at in range(20))

    (miss,) = grader.grade(of("", *spans), Services()).misses
    assert miss.endswith("called: a, a, a, a, a, a, a, a and 12 more")


CALLED_WITH_OUTPUT = (tool("a", {}, "x", at=1), tool("a", {}, "y", at=2))


@pytest.mark.parametrize(
    ("wanted", "strict", "score"),
    [
        (["y"], False, 1),
        (["y"], True, 0),
        (["x", "y"], True, 1),
        (["x", "x"], False, 1 / 2),
        (["x "], False, 0),
    ],
)
def test_score_by_output(wanted, strict, score):
    expected = [{"name": "a", "output": output} for output in wanted]
    grader = ToolCallOutput(name="p", tool_outputs=expected, strict=strict)

    assert grader.grade(of("", *CALLED_WITH_OUTPUT), Services()).score == score


def test_nothing_expected_and_nothing_done_is_right():
    assert ToolCallOutput(name="p", tool_outputs=()).grade(of(""), Services()).score == 1


@pytest.mark.parametrize(
    ("name", "miss"),
    [
        ("a", "a did not put out 'z', but 'x', 'y'"),
        ("c", "c did not put out 'z'; called: a, a"),
    ],
)
def test_a_miss_says_what_was_put_out_instead(name, miss):
    grader = ToolCallOutput(name="p", tool_outputs=[{"name": name, "output": "z"}])

    assert grader.grade(of("", *CALLED_WITH_OUTPUT), Services()).misses == (miss,)
