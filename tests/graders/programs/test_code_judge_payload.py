import json

import pytest

from agentevals.graders.programs import code_judge_payload
from agentevals.graders.programs.code_judge_payload import (
    measure,
    summarise,
    to_camel,
    to_camel_case,
    to_snake_case,
)
from agentevals.model.cases import Status, Task
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import ModelCall, ToolCall, Turn
from agentevals.model.results import Result
from agentevals.text.json_text import encode
from tests.support import case, paired, turn

SEARCH = ToolCall(name="search", args={"query_text": "x", "Deep": {"toolCalls": 1}}, call_id="c1")
TOLD = code_judge_payload.build_payload(
    case(
        "the answer",
        criteria="be right",
        task=Task(
            question="why?",
            reference="because",
            input=({"role": "user", "content": "why?"},),
            expected_output=({"role": "assistant", "content": "because", "tool_calls": []},),
            input_files=("in.txt",),
            guideline_files=("guide.md",),
            metadata={"my_key": 1},
        ),
    ),
    {"my_opt": 1},
)


def test_what_the_recording_lacks_is_told_of_all_turns_together():
    gap = Gap(fact=Fact.ANSWER, presence=Presence.UNKNOWN, evidence="cut off")
    told = code_judge_payload.build_payload(paired([turn(), turn(None, gaps=(gap,))], None), {})

    assert told["completeness"]["answer"] == "unknown"
    assert told["completeness"]["question"] == "recorded"
    assert "completeness" not in TOLD


MS = 1_000_000
SECOND = 1000 * MS


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("question", "input_text", "inputText"), "why?"),
        (("criteria", "expected_outcome", "expectedOutcome"), "be right"),
        (
            ("answer", "candidate_answer", "candidateAnswer", "output_text", "outputText"),
            "the answer",
        ),
        (("reference_answer", "referenceAnswer", "expected_output_text"), "because"),
        (("input", "input_messages", "inputMessages"), [{"role": "user", "content": "why?"}]),
        (("input_files", "inputFiles"), ("in.txt",)),
        (("guideline_files", "guidelineFiles", "guideline_paths"), ("guide.md",)),
        (("input_segments",), [{"type": "text", "value": "why?"}]),
        (("output", "messages"), [{"role": "assistant", "content": "the answer"}]),
        (("metadata",), {"my_key": 1}),
        (("config",), {"my_opt": 1}),
        (("token_usage", "tokenUsage", "cost_usd", "costUsd", "start_time", "endTime"), None),
        (("file_changes", "fileChanges", "workspace_path", "workspacePath"), None),
    ],
)
def test_a_thing_stands_under_every_name_that_a_release_had_for_it(keys, value):
    assert [TOLD[key] for key in keys] == [value] * len(keys)


def test_messages_are_spelt_as_the_key_that_they_stand_under():
    told = code_judge_payload.build_payload(case("x").__class__(conversation=_searching()), {})

    snake, camel = told["output_messages"][0], told["outputMessages"][0]
    assert snake["tool_calls"][0]["input"] == camel["toolCalls"][0]["input"] == SEARCH.args
    assert "toolCalls" not in snake
    assert "tool_calls" not in camel
    assert TOLD["expectedMessages"][0] == {
        "role": "assistant",
        "content": "because",
        "toolCalls": [],
    }


def _searching():
    return paired([turn(tool_calls=(SEARCH,))], None).conversation


def test_the_summary_is_spelt_as_its_key_and_names_of_tools_stay():
    told = code_judge_payload.build_payload(case("x").__class__(conversation=_searching()), {})

    assert told["traceSummary"]["toolCallsByName"] == {"search": 1}
    assert told["trace_summary"]["tool_calls_by_name"] == {"search": 1}
    assert told["candidate_trace_summary"]["eventCount"] == told["trace"]["event_count"] == 1
    assert told["trace"]["messages"] == told["output"]


def test_without_a_task_the_conversation_and_what_was_expected_speak():
    told = code_judge_payload.build_payload(
        paired([turn("b", user="one"), turn("c", user="two")], [turn("wanted", user="one")]), {}
    )

    assert (told["question"], told["answer"]) == ("one\n\ntwo", "c")
    assert told["reference_answer"] == "wanted"
    assert told["expected_output"] == [{"role": "assistant", "content": "wanted"}]
    assert (told["config"], told["metadata"], told["criteria"]) == (None, None, "")


def test_even_a_conversation_without_turns_is_told():
    told = code_judge_payload.build_payload(paired([], None), {})

    assert (told["answer"], told["output"], told["reference_answer"]) == ("", [], None)


@pytest.mark.parametrize("odd", ["\ud800", float("nan"), 10**400])
def test_what_json_cannot_say_is_no_reason_to_fail(odd):
    told = encode(code_judge_payload.build_payload(case("x"), {"odd": odd}))

    assert json.loads(told)["answer"] == "x"


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def test_what_is_nested_too_deeply_is_cut():
    call = ToolCall(name="t", args={"deep": deep(5000)})
    told = code_judge_payload.build_payload(paired([Turn(tool_calls=(call,))], None), {})

    assert b"nested too deeply" in encode(told)


def result(status=Status.PASSED, score=1.0, **fields):
    return Result(name="a", type="contains", status=status, score=score, **fields)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        (result(score=0.8), "pass"),
        (result(score=0.79), "borderline"),
        (result(score=0.59), "fail"),
        (result(vetoes=True), "fail"),
        (result(Status.ERROR, None), "skip"),
        (result(Status.NOT_EVALUATED, None), "skip"),
    ],
)
def test_the_parts_of_a_composite_are_told_with_their_verdicts(given, verdict):
    told = code_judge_payload.build_results({"a": given})["results"]["a"]

    assert (told["score"], told["verdict"]) == (given.score, verdict)


def test_the_parts_of_a_composite_are_told_in_camel_case():
    told = code_judge_payload.build_results(
        {"a": result(hits=("h",), misses=("m", "n"), reasoning="r")}
    )

    assert told["results"]["a"] == {
        "score": 1.0,
        "verdict": "pass",
        "hits": ("h",),
        "misses": ("m", "n"),
        "expectedAspectCount": 3,
        "reasoning": "r",
        "evaluatorRawRequest": None,
    }


MESSAGE = {
    "role": "assistant",
    "content": {"user_key": 1},
    "start_time": "t",
    "tool_calls": [{"tool": "a", "input": {"query_text": 1, "toolCalls": 2}, "duration_ms": 3}],
}
IN_CAMEL = {
    "role": "assistant",
    "content": {"user_key": 1},
    "startTime": "t",
    "toolCalls": [{"tool": "a", "input": {"query_text": 1, "toolCalls": 2}, "durationMs": 3}],
}


def test_our_keys_are_spelt_both_ways_and_those_of_users_stay():
    assert to_camel_case([MESSAGE]) == [IN_CAMEL]
    assert to_snake_case([IN_CAMEL]) == [MESSAGE]
    assert to_snake_case([MESSAGE]) == [MESSAGE]


def test_what_is_no_list_of_calls_is_left_alone():
    odd = [{"tool_calls": None}, {"tool_calls": "text"}, {"tool_calls": ["text", 7]}]

    assert to_snake_case(odd) == odd


def test_a_name_of_several_words_in_camel_case():
    assert [to_camel(key) for key in ("answer", "candidate_answer", "cost_usd")] == [
        *("answer", "candidateAnswer", "costUsd"),
    ]


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
