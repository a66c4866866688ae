import pytest

from agentevals.graders.grader import Services, grade_case
from agentevals.graders.tools.trajectory_tool_used import ToolUsed
from agentevals.model.conversations import ToolCall
from tests.support import paired, turn


def result(value, *names, **settings):
    case = paired([turn(tool_calls=tuple(ToolCall(name=name) for name in names))], None)
    return grade_case(ToolUsed(name="t", value=value, **settings), case, Services())


@pytest.mark.parametrize(
    ("value", "names", "score"),
    [
        ("search", ["Search"], 1),
        ("search*", ["search_web"], 1),
        (["search", "read"], ["search"], 0),
        ({"name": "search", "min": 2}, ["search", "search"], 1),
        ({"pattern": "s*", "max": 1}, ["search", "sort"], 0),
        ("search", [], 0),
    ],
)
def test_tools_are_called(value, names, score):
    assert result(value, *names).score == score


@pytest.mark.parametrize(("names", "score"), [([], 1), (["drop"], 0), (["other"], 1)])
def test_forbidden_tools_are_each_forbidden(names, score):
    assert result(["delete", "drop"], *names, negate=True).score == score


def test_what_was_called_is_said():
    said = "search: used 0 times (required >=1). Tools called: read, write"

    assert result("search", "read", "write").misses == (said,)
