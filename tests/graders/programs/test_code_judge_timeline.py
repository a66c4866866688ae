"""When something happened, as programs of AgentV are told it."""

import json

import pytest

from agentevals.graders.programs import code_judge_payload, code_judge_timeline
from agentevals.model.cases import Case
from agentevals.model.conversations import Conversation, ToolCall, Turn
from agentevals.text.json_text import encode

SECOND = 1_000_000_000
CALL = {"tool": "search", "input": {}, "output": 1, "id": "c1"}


def call(start=0, end=0, **more):
    times = {"start_ns": start * SECOND, "end_ns": end * SECOND}
    return ToolCall(
        name="search", args={}, call_id="c1", response=1, answered=True, **times, **more
    )


def told(*turns):
    case = Case(conversation=Conversation(conversation_id="c", turns=turns))
    return json.loads(encode(code_judge_payload.build_payload(case, {})))


def test_a_call_tells_when_it_was_made_under_the_name_of_every_release():
    [message, _] = told(Turn(response="done", tool_calls=(call(1, 2, timed=True),)))["output"]

    assert message["tool_calls"] == [
        {
            **CALL,
            "timestamp": "1970-01-01T00:00:01.000Z",
            "start_time": "1970-01-01T00:00:01.000Z",
            "end_time": "1970-01-01T00:00:02.000Z",
            "duration_ms": 1000.0,
        }
    ]


def test_a_call_in_a_recorded_message_keeps_its_own_words_for_when_it_was_made():
    said = {"role": "assistant", "tool_calls": [{"tool": "search", "start_time": "one o'clock"}]}

    [message] = told(Turn(messages=(said,), tool_calls=(call(1, 2),)))["outputMessages"]

    [one] = message["toolCalls"]
    assert (one["timestamp"], one["startTime"]) == ("one o'clock", "one o'clock")


def test_a_call_without_times_tells_none():
    [message, _] = told(Turn(response="done", tool_calls=(call(),)))["output"]

    assert message["tool_calls"] == [CALL]


def test_what_lies_between_begin_and_end_is_how_long_a_call_took():
    trace = told(Turn(response="done", tool_calls=(call(1, 3), call())))["trace"]

    assert trace["tool_durations"] == {"search": [2000.0]}


@pytest.mark.parametrize(
    ("turn", "span"),
    [
        (Turn(start_ns=SECOND, end_ns=4 * SECOND, tool_calls=(call(2, 3),)), (1, 4)),
        (Turn(tool_calls=(call(2, 3), call(4, 6))), (2, 6)),
        (Turn(end_ns=SECOND), (0, 0)),
        (Turn(), (0, 0)),
    ],
)
def test_a_conversation_lasts_from_the_first_thing_to_the_last(turn, span):
    assert code_judge_timeline.find_span([turn]) == tuple(second * SECOND for second in span)


def test_events_are_messages_calls_what_they_returned_and_the_answer():
    events = told(Turn(response="done", tool_calls=(call(1, 2, timed=True), call())))["trace"][
        "events"
    ]

    assert [(one["ordinal"], one["type"], one.get("timestamp", "")[17:19]) for one in events] == [
        (0, "message", ""),
        (1, "tool_call", "01"),
        (2, "tool_result", "02"),
        (3, "tool_call", ""),
        (4, "tool_result", ""),
        (5, "message", ""),
        (6, "final_response", "02"),
    ]
    assert events[1] == {
        "event_id": "message-0-tool-0",
        "parent_event_id": "message-0",
        "type": "tool_call",
        "timestamp": "1970-01-01T00:00:01.000Z",
        "duration_ms": 1000.0,
        "tool": {"name": "search", "call_id": "c1", "input": {}, "output": 1, "status": "ok"},
        "metadata": {"message_index": 0, "tool_index": 0},
        "ordinal": 1,
    }


def test_where_nobody_spoke_there_is_no_answer_among_the_events():
    assert code_judge_timeline.list_events([{"role": "assistant", "tool_calls": "none"}], None) == [
        {
            "event_id": "message-0",
            "type": "message",
            "message": {"role": "assistant"},
            "metadata": {"message_index": 0},
            "ordinal": 0,
        }
    ]
