import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.tools.trajectory_tool_sequence import ToolSequence
from agentevals.model.conversations import ToolCall
from tests.support import paired, turn


def graded(value, names):
    case = paired([turn(tool_calls=tuple(ToolCall(name=name) for name in names))], None)
    return ToolSequence(name="t", value=value).grade(case, Services())


@pytest.mark.parametrize(
    ("value", "names", "score"),
    [
        (["a", "b"], "axb", 1),
        (["a", "b"], "ba", 0),
        (["a", "a"], "a", 0),
        ([{"pattern": "?"}, "B"], "ab", 1),
        ({"steps": ["a", "b"]}, "axb", 1),
        ({"steps": ["a", "b"], "mode": "exact"}, "axb", 0),
        ({"steps": ["a", "b"], "mode": "exact"}, "ab", 1),
        ({"steps": ["a", "b"], "mode": "exact"}, "ac", 0),
        (["a"], "", 0),
    ],
)
def test_an_order_is_kept(value, names, score):
    assert graded(value, names).score == score


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            ["a", "b"],
            "b was not called as step 2. Expected in order: a, b. Tools called: a, c",
        ),
        (
            {"steps": ["a"], "mode": "exact"},
            "2 calls instead of 1. Expected in order and no others: a. Tools called: a, c",
        ),
    ],
)
def test_the_first_step_that_is_missing_is_named(value, said):
    assert graded(value, "ac").misses == (said,)


@pytest.mark.parametrize("value", [[], {}, "a", {"steps": ["a"], "mode": "any"}, [{}], [5]])
def test_what_is_no_sequence_is_refused(value):
    with pytest.raises(ValidationError):
        ToolSequence(name="t", value=value)
