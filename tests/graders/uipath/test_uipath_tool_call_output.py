import pytest

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_tool_call_output import ToolCallOutput
from tests.graders.uipath.cases import of, tool

CALLED = (tool("a", {}, "x", at=1), tool("a", {}, "y", at=2))


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
def test_score(wanted, strict, score):
    expected = [{"name": "a", "output": output} for output in wanted]
    grader = ToolCallOutput(name="p", tool_outputs=expected, strict=strict)

    assert grader.grade(of("", *CALLED), Services()).score == score


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

    assert grader.grade(of("", *CALLED), Services()).misses == (miss,)
