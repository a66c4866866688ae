import pytest

from agentevals.model.conversations import ModelCall, ToolCall, Turn
from agentevals.traces import turn_performance

MS = 1_000_000
NOTHING = {"min": 0.0, "median": 0.0, "max": 0.0, "count": 0, "p50": 0.0, "p95": 0.0, "p99": 0.0}


def same(value, count=1):
    return {**dict.fromkeys(NOTHING, value), "count": count}


def call(at=(0, 100), **fields):
    return ModelCall(start_ns=at[0] * MS, end_ns=at[1] * MS, **fields)


def turn(*calls, at=(0, 1000), tools=()):
    return Turn(start_ns=at[0] * MS, end_ns=at[1] * MS, model_calls=calls, tool_calls=tools)


def test_a_conversation_without_turns_has_all_keys_and_no_numbers():
    assert turn_performance.measure(()) == {
        "latency": {"overall": NOTHING, "llm_calls": NOTHING, "tool_executions": NOTHING},
        "tokens": {
            "total_prompt": 0,
            "total_output": 0,
            "total": 0,
            "per_llm_call": NOTHING,
            "cache_creation_tokens": 0,
            "cache_read_tokens": 0,
        },
        "counts": {"llm_calls": 0, "tool_calls": 0, "invocations": 0},
        "models": [],
        "tool_names": [],
    }


def test_without_turns_the_time_of_the_roots_is_told():
    found = turn_performance.measure((), elapsed_ns=(50 * MS, 150 * MS))

    assert found["latency"]["overall"]["median"] == 100.0
    assert found["counts"]["invocations"] == 0


def test_turns_requests_and_tools_are_timed_each_on_its_own():
    timed = ToolCall(name="f", start_ns=0, end_ns=40 * MS, timed=True)
    found = turn_performance.measure((turn(call((10, 110)), tools=(timed, ToolCall(name="g"))),))

    assert found["latency"] == {
        "overall": same(1000.0),
        "llm_calls": same(100.0),
        "tool_executions": same(40.0),
    }
    assert found["counts"] == {"llm_calls": 1, "tool_calls": 2, "invocations": 1}


@pytest.mark.parametrize(
    ("values", "median", "p95"),
    [([10], 10.0, 10.0), ([30, 10], 20.0, 30.0), ([10, 30, 20], 20.0, 30.0)],
)
def test_the_median_is_between_the_middle_ones_and_higher_shares_are_values(values, median, p95):
    found = turn_performance.measure((turn(*(call((0, value)) for value in values)),))["latency"]

    assert found["llm_calls"] == {
        "min": float(min(values)),
        "median": median,
        "max": float(max(values)),
        "count": len(values),
        "p50": median,
        "p95": p95,
        "p99": p95,
    }


def test_a_share_of_many_values_is_the_one_at_its_place():
    found = turn_performance.measure((turn(*(call((0, value)) for value in range(1, 101))),))

    assert found["latency"]["llm_calls"]["p95"] == 96.0
    assert found["latency"]["llm_calls"]["p99"] == 100.0


def test_tokens_are_those_of_the_requests_that_counted_them():
    found = turn_performance.measure(
        (
            turn(
                call(
                    input_tokens=10, output_tokens=2, cache_read_tokens=4, cache_creation_tokens=1
                ),
                call(output_tokens=5),
                call(cache_read_tokens=99),
            ),
        )
    )

    assert found["tokens"] == {
        "total_prompt": 10,
        "total_output": 7,
        "total": 17,
        "per_llm_call": {**same(12.0, 2), "min": 5.0, "median": 8.5, "p50": 8.5},
        "cache_creation_tokens": 1,
        "cache_read_tokens": 4,
    }


def test_reasoning_and_cost_are_told_only_where_they_were_recorded():
    found = turn_performance.measure((turn(call(output_tokens=5, reasoning_tokens=3, cost=0.5)),))

    assert found["tokens"]["reasoning_tokens"] == 3
    assert found["cost"] == {"total": 0.5}


def test_models_and_tools_are_named_once_in_order():
    tools = [ToolCall(name=name) for name in ("b", "a", "b")]
    found = turn_performance.measure(
        (turn(call(model="y"), call(model="x"), call(), tools=tuple(tools)),)
    )

    assert (found["models"], found["tool_names"]) == (["x", "y"], ["a", "b"])


def test_a_transcript_without_times_has_no_latency():
    found = turn_performance.measure((Turn(user="q", model_calls=(ModelCall(),)),))

    assert found["latency"]["overall"] == found["latency"]["llm_calls"] == NOTHING
    assert found["counts"] == {"llm_calls": 1, "tool_calls": 0, "invocations": 1}


def test_nothing_ends_before_it_starts():
    assert turn_performance.measure((turn(at=(10, 5)),))["latency"]["overall"] == same(0.0)


def test_a_run_adds_up_its_conversations():
    run = turn_performance.RunPerformance()
    tools = (ToolCall(name="f"),)
    for ended in (1000, 100):
        one = turn(call(model="m", input_tokens=10, output_tokens=5), at=(0, ended), tools=tools)
        run.add(turn_performance.measure((one,)))

    assert run.result() == {
        "tokens": {
            "total_prompt": 20,
            "total_output": 10,
            "total": 30,
            "avg_per_trace": {"prompt": 10.0, "output": 5.0},
            "cache_creation_tokens": 0,
            "cache_read_tokens": 0,
        },
        "latency": {"overall_per_trace": {"p50": 550.0, "p95": 1000.0, "p99": 1000.0}},
        "counts": {
            "traces": 2,
            "total_llm_calls": 2,
            "total_tool_calls": 2,
            "avg_llm_calls_per_trace": 1.0,
            "avg_tool_calls_per_trace": 1.0,
        },
        "models": ["m"],
        "trace_count": 2,
    }


def test_a_run_without_latencies_says_none():
    run = turn_performance.RunPerformance()
    run.add(turn_performance.measure((Turn(),)))

    assert run.result()["latency"] == {"overall_per_trace": {}}


def test_a_run_without_conversations_has_no_performance():
    assert turn_performance.RunPerformance().result() == {}
