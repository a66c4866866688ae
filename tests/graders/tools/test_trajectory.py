import pytest
from pydantic import ValidationError

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.tools.trajectory import StepCount, ToolArgsMatch, ToolSequence, ToolUsed
from agentevals.model.cases import Case
from agentevals.model.conversations import Span, ToolCall
from tests.support import conversation, paired, turn

CALLS = (ToolCall(name="search"), ToolCall(name="bash", args={"command": "git log"}))
RECORDED = conversation(
    turn("done", tool_calls=CALLS),
    spans=(Span(span_id="1", name="agent run"), Span(span_id="2", name="agent step")),
)


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
        (
            [call(a="x" * 900, n=1)],
            'book was not called with {"n":2}, but with {"a":"' + "x" * 194 + "…",
        ),
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


@pytest.mark.parametrize(
    ("value", "score"),
    [
        ({"max": 3}, 1),
        ({"max": 2}, 0),
        ({"min": 4}, 0),
        ({"type": "tool", "max": 2}, 1),
        ({"type": "command", "min": 1, "max": 1}, 1),
        ({"type": "command", "pattern": "git*", "max": 0}, 0),
        ({"type": ["tool", "message"], "min": 3}, 1),
        ({"type": "span", "pattern": "agent *", "min": 2, "max": 2}, 1),
        ({"name": "search", "min": 2}, 0),
    ],
)
def test_steps_are_counted(value, score):
    grade = StepCount(name="t", value=value).grade(Case(conversation=RECORDED), Services())

    assert grade.score == score


def test_the_count_and_the_limits_are_said():
    value = {"type": "tool", "name": "s*", "min": 2, "max": 5}
    grade = StepCount(name="t", value=value).grade(Case(conversation=RECORDED), Services())

    assert grade.misses == ("1 steps (tool, s*; required >=2 and <=5)",)


@pytest.mark.parametrize(
    ("value", "mistake"),
    [
        ({"type": "tool"}, "say how many"),
        ({"min": 3, "max": 2}, r"'max' \(2\) is less than 'min' \(3\)"),
        ({"type": "reasoning", "max": 2}, "'tool', 'command', 'message' or 'span'"),
        ({"min": True}, "valid integer"),
        (5, "valid dictionary"),
    ],
)
def test_a_mistake_is_found_when_the_config_is_read(value, mistake):
    with pytest.raises(ValidationError, match=mistake):
        StepCount(name="t", value=value)
