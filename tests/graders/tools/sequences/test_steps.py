import pytest

from agentevals.graders.tools.sequences import steps
from agentevals.model.cases import Case
from agentevals.model.conversations import Span, ToolCall
from tests.support import conversation, turn


def call(name, **args):
    return ToolCall(name=name, args=args)


def test_calls_and_messages_are_steps():
    first = turn("done", tool_calls=(call("search"),), intermediate=("wait",))
    told = Case(conversation=conversation(first, turn(None)))

    names = [step.names for step in steps.list_steps(told)]
    assert names == [("search",), ("message",), ("message",)]


def test_spans_are_steps_of_their_own_kind():
    told = Case(conversation=conversation(spans=(Span(span_id="1", name="agent run"),)))

    assert [(set(s.kinds), s.names) for s in steps.list_spans(told)] == [({"span"}, ("agent run",))]


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
    assert steps.read_command(made) == command


def test_a_command_is_known_by_its_program_too():
    step = steps.build_step(call("bash", command="git status"))

    assert step.names == ("bash", "git status", "git")
    assert step.kinds == {"tool", "command"}
