import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_tool_call_count import ToolCallCount
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
