import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.tools.trajectory_tool_args_match import ToolArgsMatch
from agentevals.model.conversations import ToolCall
from tests.support import paired, turn


def graded(value, *calls):
    case = paired([turn(tool_calls=calls)], None)
    return ToolArgsMatch(name="t", value=value).grade(case, Services())


def call(**args):
    return ToolCall(name="book", args=args)


@pytest.mark.parametrize(
    ("settings", "args", "score"),
    [
        ({}, {"seat": "14C"}, 1),
        ({}, {"seat": "14C", "paid": True}, 1),
        ({"mode": "exact"}, {"seat": "14C", "paid": True}, 0),
        ({"mode": "exact", "ignore": "paid"}, {"seat": "14C", "paid": True}, 1),
        ({"mode": "exact", "ignore": ["p*"]}, {"seat": "14C", "paid": True}, 1),
        ({"mode": "exact", "ignore": ["PAID"]}, {"seat": "14C", "paid": True}, 0),
        ({"mode": "exact", "defaults": {"paid": True}}, {"seat": "14C", "paid": True}, 1),
        ({"mode": "exact", "defaults": {"paid": True}}, {"seat": "14C", "paid": 1}, 0),
        ({"ignore": "seat"}, {"seat": "1A"}, 1),
        ({}, {"seat": "1A"}, 0),
    ],
)
def test_arguments_agree(settings, args, score):
    value = {"name": "BOOK", "args": {"seat": "14C"}, **settings}

    assert graded(value, call(**args)).score == score


def test_one_call_is_enough():
    value = {"pattern": "b*", "arguments": {"n": 2}}

    assert graded(value, call(n=1), call(n=2)).hits == ('b* was called with {"n":2}',)


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([], "book was not called. Tools called: none"),
        ([ToolCall(name="pay")], "book was not called. Tools called: pay"),
        (
            [ToolCall(name="book", args=None)],
            "book was called, but its arguments were not recorded",
        ),
        ([call(n=1)], 'book was not called with {"n":2}, but with {"n":1}'),
    ],
)
def test_what_was_missed_is_said(calls, said):
    assert graded({"name": "book", "args": {"n": 2}}, *calls).misses == (said,)


def test_long_arguments_are_shortened():
    (said,) = graded({"name": "book", "args": {"n": 2}}, call(text="x" * 5000)).misses

    assert len(said) < 300


@pytest.mark.parametrize(
    "value", [{}, {"name": "a"}, {"args": {}}, {"name": "a", "args": {}, "mode": "any"}, "a"]
)
def test_what_says_too_little_is_refused(value):
    with pytest.raises(ValidationError):
        ToolArgsMatch(name="t", value=value)
