import pytest
from pydantic import TypeAdapter, ValidationError

from agentevals.graders.tools import tool_steps
from agentevals.graders.tools.tool_steps import AllUsed, are_all_used, fits_pattern
from agentevals.model.cases import Case
from agentevals.model.conversations import Span, ToolCall
from tests.support import conversation, turn

USED = TypeAdapter(AllUsed)


@pytest.mark.parametrize(
    ("pattern", "name", "meant"),
    [
        ("search", "Search", True),
        ("search*", "search_web", True),
        ("search*", "research", False),
        ("s?arch", "search", True),
        ("s?arch", "sarch", False),
        ("a[b]", "a[b]", True),
        ("a[b]", "ab", False),
        ("a.b", "axb", False),
        ("*", "two\nlines", True),
        ("", "x", False),
    ],
)
def test_a_pattern_means_names(pattern, name, meant):
    assert fits_pattern(pattern, name) is meant


def test_a_pattern_with_many_stars_takes_no_time():
    assert not fits_pattern("*a" * 200 + "b", "a" * 5000)


@pytest.mark.parametrize(
    ("value", "times", "forbidden", "met"),
    [
        ("a", [1], False, True),
        ("a", [0], False, False),
        (["a", "b"], [1, 0], False, False),
        (["a", "b"], [1, 0], True, True),
        (["a", "b"], [0, 0], True, False),
        ({"name": "a", "min": 2}, [1], False, False),
        ({"name": "a", "min": 2}, [2], False, True),
        ({"name": "a", "max": 2}, [0], False, False),
        ({"name": "a", "max": 2}, [3], False, False),
        ({"name": "a", "max": 0}, [0], False, True),
        ({"name": "a", "min": 2}, [1], True, False),
    ],
)
def test_how_often(value, times, forbidden, met):
    assert are_all_used(USED.validate_python(value), times, forbidden=forbidden) is met


@pytest.mark.parametrize(
    "value",
    [
        "",
        [],
        5,
        [5],
        None,
        {},
        {"min": 1},
        {"name": "a", "min": -1},
        {"name": "a", "min": 2, "max": 1},
        {"name": "a" * 1001},
    ],
)
def test_what_means_nothing_is_refused(value):
    with pytest.raises(ValidationError):
        USED.validate_python(value)


def call(name, **args):
    return ToolCall(name=name, args=args)


def test_calls_and_messages_are_steps():
    first = turn("done", tool_calls=(call("search"),), intermediate=("wait",))
    told = Case(conversation=conversation(first, turn(None)))

    names = [step.names for step in tool_steps.list_steps(told)]
    assert names == [("search",), ("message",), ("message",)]


def test_spans_are_steps_of_their_own_kind():
    told = Case(conversation=conversation(spans=(Span(span_id="1", name="agent run"),)))

    assert [(set(s.kinds), s.names) for s in tool_steps.list_spans(told)] == [
        ({"span"}, ("agent run",))
    ]


@pytest.mark.parametrize(
    ("made", "command"),
    [
        (call("Bash", command=" git status "), "git status"),
        (call("shell", command=["git", "status"]), "git status"),
        (call("exec_command", cmd="ls"), "ls"),
        (call("search", command="ls"), ""),
        (call("bash"), ""),
        (call("bash", command=None), ""),
        (ToolCall(name="bash", args=None), ""),
    ],
)
def test_the_command_of_a_shell(made, command):
    assert tool_steps.read_command(made) == command


def test_a_command_is_known_by_its_program_too():
    step = tool_steps.build_step(call("bash", command="git status"))

    assert step.names == ("bash", "git status", "git")
    assert step.kinds == {"tool", "command"}
