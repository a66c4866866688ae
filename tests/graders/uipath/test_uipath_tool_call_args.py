import pytest

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_tool_call_args import ToolCallArgs
from tests.graders.uipath.cases import of, tool

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
def test_score(wanted, strict, score):
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
