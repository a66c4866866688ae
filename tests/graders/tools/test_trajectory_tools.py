import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services, grade_case
from agentevals.graders.tools.trajectory_tools import ToolArgsMatch, ToolSequence, ToolUsed
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


def grade_args(value, *calls):
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

    assert grade_args(value, call(**args)).score == score


def test_one_call_is_enough():
    value = {"pattern": "b*", "arguments": {"n": 2}}

    assert grade_args(value, call(n=1), call(n=2)).hits == ('b* was called with {"n":2}',)


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
    assert grade_args({"name": "book", "args": {"n": 2}}, *calls).misses == (said,)


def test_long_arguments_are_shortened():
    (said,) = grade_args({"name": "book", "args": {"n": 2}}, call(text="x" * 5000)).misses

    assert len(said) < 300


@pytest.mark.parametrize(
    "value", [{}, {"name": "a"}, {"args": {}}, {"name": "a", "args": {}, "mode": "any"}, "a"]
)
def test_what_says_too_little_is_refused(value):
    with pytest.raises(ValidationError):
        ToolArgsMatch(name="t", value=value)
