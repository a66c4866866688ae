import pytest

from agentevals.graders.uipath_tool_call_args import ToolCallArgs
from agentevals.grading import Services
from tests.uipath.cases import of, tool

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
