import pytest

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_tool_call_order import ToolCallOrder
from agentevals.model.errors import EvaluatorError
from tests.graders.uipath.cases import of, tool


def grade(expected, *names, strict=False):
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
def test_score(expected, names, strict, score):
    assert grade(expected, *names, strict=strict).score == score


def test_it_says_which_calls_were_in_their_place():
    found = grade("abc", *"ac")

    assert found.details["lcs"] == ["a", "c"]
    assert found.misses == ("b was not called in its place; called: a, c",)


def test_calls_without_end_are_refused():
    with pytest.raises(EvaluatorError, match="are too many"):
        grade("a" * 3000, *("a" * 3000))
