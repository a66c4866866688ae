import pytest

from agentevals.graders import judged_messages
from agentevals.model.cases import Case, Task
from agentevals.model.conversations import ToolCall
from tests.support import conversation, turn

SAID = {"role": "assistant", "content": "done"}


def test_messages_of_the_agent_are_kept_as_they_were_recorded():
    raw = ({"role": "assistant", "content": [{"type": "text"}], "own": 1},)

    assert judged_messages.list_agent_messages([turn("something else", messages=raw)]) == list(raw)


def test_a_turn_without_messages_is_told_as_messages():
    call = ToolCall(name="search", args={"q": 1}, call_id="c1", response="r", answered=True)
    told = judged_messages.list_agent_messages(
        [turn("done", intermediate=("wait",), tool_calls=(call,))]
    )

    made = {"tool": "search", "input": {"q": 1}, "output": "r", "id": "c1"}
    assert told == [
        {"role": "assistant", "content": "wait"},
        {"role": "assistant", "content": "", "tool_calls": [made]},
        SAID,
    ]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (ToolCall(name="a", args=None), {"tool": "a"}),
        (ToolCall(name="a", failed=True), {"tool": "a", "input": {}, "status": "error"}),
        (
            ToolCall(name="a", end_ns=1_500_000, timed=True),
            {"tool": "a", "input": {}, "duration_ms": 1.5},
        ),
        (
            ToolCall(name="a", answered=True),
            {"tool": "a", "input": {}, "output": None},
        ),
    ],
)
def test_a_call_tells_what_is_known_of_it_and_no_more(call, told):
    (message,) = judged_messages.list_agent_messages([turn(None, tool_calls=(call,))])

    assert message["tool_calls"] == [told]


def test_a_turn_in_which_nothing_was_said_has_no_message():
    assert judged_messages.list_agent_messages([turn(None)]) == []


def test_what_was_asked_is_what_the_task_says_before_what_the_user_said():
    recorded = conversation(turn(user="hello"), turn(user=""))
    given = {"role": "system", "content": "be brief"}

    assert judged_messages.list_input_messages(Case(conversation=recorded)) == [
        {"role": "user", "content": "hello"}
    ]
    assert judged_messages.list_input_messages(
        Case(conversation=recorded, task=Task(input=(given,)))
    ) == [given]


def test_what_is_wanted_is_what_the_task_says_before_the_expected_turns():
    expected = (turn("done"),)
    answer = {"role": "assistant", "content": {"a": 1}}
    case = Case(conversation=conversation(), expected=expected)

    assert judged_messages.list_expected_messages(case) == [SAID]
    assert judged_messages.list_expected_messages(Case(conversation=conversation())) == []
    assert judged_messages.list_expected_messages(
        Case(conversation=conversation(), expected=expected, task=Task(expected_output=(answer,)))
    ) == [answer]


def test_calls_of_all_turns_come_in_their_order():
    turns = [turn(tool_calls=(ToolCall(name=name), ToolCall(name="x"))) for name in "ab"]

    assert [call.name for call in judged_messages.list_tool_calls(turns)] == ["a", "x", "b", "x"]
