from agentevals.graders.programs.summary import measure, summarise
from agentevals.model.conversations import ModelCall, ToolCall, Turn

MS = 1_000_000
SECOND = 1000 * MS


def call(name, lasted=0, **fields):
    return ToolCall(name=name, end_ns=lasted * MS, timed=lasted > 0, **fields)


def test_tool_calls_are_counted_in_all_and_by_name():
    summed = summarise([Turn(tool_calls=(call("b", 5), call("a", 7), call("b")))], [])

    assert (summed["event_count"], summed["tool_names"]) == (3, ["a", "b"])
    assert summed["tool_calls_by_name"] == summed["tool_calls"] == {"b": 2, "a": 1}
    assert summed["tool_durations"] == {"b": [5.0], "a": [7.0]}


def test_failed_calls_are_errors():
    assert summarise([Turn(tool_calls=(call("a", failed=True), call("b")))], [])["error_count"] == 1


def test_model_calls_are_counted_and_where_none_was_recorded_what_was_said():
    said = [{"role": "assistant"}, {"role": "tool"}, {"role": "assistant"}]

    assert summarise([Turn(model_calls=(ModelCall(),))], said)["llm_call_count"] == 1
    assert summarise([Turn()], said)["llm_call_count"] == 2


def test_tokens_money_and_time_are_added_up_over_the_turns():
    first = ModelCall(input_tokens=10, output_tokens=2, cache_read_tokens=4, cost=0.5)
    turns = [
        Turn(model_calls=(first,), start_ns=SECOND, end_ns=3 * SECOND),
        Turn(model_calls=(ModelCall(output_tokens=1),), start_ns=5 * SECOND, end_ns=6 * SECOND),
    ]

    assert measure(turns) == {
        "token_usage": {"input": 10, "output": 3, "cached": 4},
        "cost_usd": 0.5,
        "duration_ms": 3000.0,
        "start_time": "1970-01-01T00:00:01.000Z",
        "end_time": "1970-01-01T00:00:06.000Z",
    }


def test_what_was_not_recorded_is_null():
    assert set(measure([Turn()]).values()) == {None}
    assert set(measure([]).values()) == {None}


def test_a_clock_that_was_wrong_by_centuries_tells_no_time():
    assert measure([Turn(start_ns=10**30, end_ns=10**31)])["start_time"] is None
