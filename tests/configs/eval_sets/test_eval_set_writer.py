import json

import pytest

from agentevals.configs import eval_sets
from agentevals.configs.eval_sets.eval_set_writer import write_eval_set
from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import Conversation, ToolCall, Turn
from agentevals.text.json_text import readable

TRACE = "0af7651916cd43dd8448eb211c80319c"


def talk(*users, name=TRACE, case_id="", calls=(), response="done"):
    turns = tuple(Turn(user=user, response=response, tool_calls=tuple(calls)) for user in users)
    return Conversation(conversation_id=name, trace_ids=(TRACE,), turns=turns, case_id=case_id)


def written(*conversations, older=None):
    eval_set, names = write_eval_set(conversations, eval_set_id="set", older=older)
    return eval_set, names


def test_what_is_written_is_read_back_as_expected(tmp_path):
    calls = (
        ToolCall(name="search", args={"q": "x"}, call_id="c1", response={"n": 1}, answered=True),
        ToolCall(name="tell", args={}, response="text", answered=True),
        ToolCall(name="lost", args={"deep": [1, {"a": None}]}),
    )
    file = tmp_path / "eval_set.json"
    file.write_text(readable(written(talk("hello", "and then?", calls=calls))[0]))

    (case,) = eval_sets.load(file).cases
    assert [turn.user for turn in case.turns] == ["hello", "and then?"]
    assert [turn.response for turn in case.turns] == ["done", "done"]
    assert [(c.name, c.args) for c in case.turns[0].tool_calls] == [(c.name, c.args) for c in calls]
    assert case.turns[0].tool_calls[0].response == {"n": 1}
    assert not eval_sets.load(file).findings


@pytest.mark.parametrize(
    ("conversation", "name"),
    [
        (talk("Hi", case_id="explicit", name="session-7"), "explicit"),
        (talk("Hi", name="session-7"), "session-7"),
        (talk("Hi", name="thread_V1StGXR8Z5jdHi6B"), "hi"),
        (talk("Hi", name="01ARZ3NDEKTSV4RRFFQ69G5FAV"), "hi"),
        (talk("Hi", name="01a1eec2-bd02-76a8-ad22-5f9dbe4f55a0"), "hi"),
        (talk("Hi", name="0AF7651916CD43DD8448EB211C80319C"), "hi"),
        (talk("What's the weather in Paris?"), "what-s-the-weather-in-paris"),
        (talk("今日の天気は?"), "今日の天気は"),
        (
            talk("one two three four five six seven eight nine"),
            "one-two-three-four-five-six-seven-eight",
        ),
        (talk("?!"), "case"),
        (talk("x" * 100), "x" * 60),
    ],
)
def test_a_case_is_named_after_what_the_recording_says(conversation, name):
    assert written(conversation)[1] == [name]


def test_names_are_unique():
    assert written(talk("Hi!"), talk("hi?"), talk("hi"))[1] == ["hi", "hi-2", "hi-3"]


def test_the_same_recordings_give_the_same_bytes():
    first, second = (readable(written(talk("a"), talk("b"))[0]) for _ in range(2))

    assert first == second
    assert TRACE not in first


def test_a_turn_without_an_answer_expects_none():
    turn = written(talk("a", response=None))[0]["eval_cases"][0]["conversation"][0]

    assert "final_response" not in turn


def gap(fact, evidence="no message is there", remedy="Record it"):
    return Gap(fact=fact, presence=Presence.UNKNOWN, evidence=evidence, remedy=remedy)


def half(*missing, user="hi", case_id="", start_ns=0):
    """A recording of one turn that does not show some facts."""
    turn = Turn(
        user=user,
        response="done",
        tool_calls=(ToolCall(name="f"),),
        gaps=tuple(map(gap, missing)),
        start_ns=start_ns,
    )
    return Conversation(conversation_id=TRACE, trace_ids=(TRACE,), turns=(turn,), case_id=case_id)


@pytest.mark.parametrize(
    ("fact", "absent"),
    [(Fact.ANSWER, "final_response"), (Fact.TOOL_CALLS, "intermediate_data")],
)
def test_a_fact_that_was_not_recorded_is_not_written_and_is_unknown_when_it_is_read(
    tmp_path, fact, absent
):
    eval_set, _ = written(half(fact))
    (tmp_path / "set.json").write_text(readable(eval_set))

    (case,) = eval_set["eval_cases"]
    assert absent not in case["conversation"][0]
    assert case["x-not-recorded"] == {"turn-1": [fact]}
    found = eval_sets.load(tmp_path / "set.json")
    assert [gap.fact for gap in found.cases[0].turns[0].gaps] == [fact]
    assert not found.findings


def test_a_question_that_was_not_recorded_is_not_written():
    (case,) = written(half(Fact.QUESTION, user="", case_id="a"))[0]["eval_cases"]

    assert case["conversation"][0]["user_content"] == {"role": "user", "parts": []}


def test_what_somebody_adds_to_a_case_is_known_from_then_on(tmp_path):
    eval_set, _ = written(half(Fact.ANSWER))
    (turn,) = eval_set["eval_cases"][0]["conversation"]
    turn["final_response"] = {"parts": [{"text": "done"}]}
    (tmp_path / "set.json").write_text(readable(eval_set))

    assert not eval_sets.load(tmp_path / "set.json").cases[0].turns[0].gaps


def test_a_better_recording_replaces_what_was_not_known():
    older, _ = written(half(Fact.ANSWER))

    (case,) = written(half(), older=older)[0]["eval_cases"]
    assert "x-not-recorded" not in case
    assert "final_response" in case["conversation"][0]


def test_cases_stand_in_the_order_of_time():
    talks = [half(user=user, start_ns=at) for at, user in ((30, "a"), (10, "c"), (20, "b"))]

    assert written(*talks)[1] == ["c", "b", "a"]


def test_other_ids_and_another_order_of_files_give_the_same_bytes():
    def recording(trace_id, call_ids, at=100):
        calls = [
            ToolCall(name="f", args={"n": n}, call_id=call_id, start_ns=at, timed=True)
            for n, call_id in enumerate(call_ids)
        ]
        calls.sort(key=lambda call: call.call_id)  # both began at once: only ids tell them apart
        turn = Turn(user="hi", response="done", tool_calls=tuple(calls), start_ns=at)
        return Conversation(conversation_id=trace_id, trace_ids=(trace_id,), turns=(turn,))

    first = [recording("a" * 32, ["call_9fKq2LmZ", "call_1xYp8QwR"]), half(user="bye")]
    again = [half(user="bye"), recording("b" * 32, ["call_0aBc3DeF", "call_7gHi5JkL"])]

    assert readable(written(*first)[0]) == readable(written(*again)[0])


def test_ids_of_calls_that_somebody_chose_stay():
    calls = [
        ToolCall(name="f", call_id=call_id, answered=True)
        for call_id in ("first_1", "adk-f2b33478-4f15-42b1-b92f-1d3cb8c32b4c")
    ]
    turn = written(talk("hi", calls=calls))[0]["eval_cases"][0]["conversation"][0]

    for said in ("tool_uses", "tool_responses"):
        assert [call["id"] for call in turn["intermediate_data"][said]] == ["first_1", "call-2"]


def test_a_failed_call_is_kept_with_its_error():
    failed = ToolCall(name="f", answered=True, failed=True, error="no such place")
    turn = written(talk("a", calls=[failed]))[0]["eval_cases"][0]["conversation"][0]

    (answer,) = turn["intermediate_data"]["tool_responses"]
    assert answer == {"name": "f", "response": {"error": "no such place"}}


def test_arguments_that_were_not_recorded_are_not_expected():
    turn = written(talk("a", calls=[ToolCall(name="f", args=None)]))[0]["eval_cases"][0]

    assert turn["conversation"][0]["intermediate_data"]["tool_uses"] == [{"name": "f"}]


def test_an_update_replaces_only_what_was_blessed():
    older, _ = written(talk("a", name="first"), talk("b", name="second"))
    older["eval_cases"][1]["rubrics"] = ["kept"]
    older["description"] = "ours"

    newer, names = written(talk("c", name="second"), talk("d", name="third"), older=older)

    assert names == ["second", "third"]
    assert [case["eval_id"] for case in newer["eval_cases"]] == ["first", "second", "third"]
    assert newer["eval_cases"][0] == older["eval_cases"][0]
    assert newer["eval_cases"][1]["rubrics"] == ["kept"]
    assert newer["description"] == "ours"
    assert json.dumps(older).count('"c"') == 0


def test_an_update_finds_a_case_that_people_have_renamed():
    older, _ = written(talk("What is up?"))
    older["eval_cases"][0]["eval_id"] = "smalltalk"

    newer, names = written(talk("what  is UP?", response="new"), older=older)

    assert names == ["smalltalk"]
    assert len(newer["eval_cases"]) == 1


def test_an_update_does_not_guess_between_two_cases():
    older, _ = written(talk("hi", name="one"), talk("hi", name="two"))

    assert written(talk("hi"), older=older)[1] == ["hi"]


def test_an_update_reads_camel_case_too():
    said = {"userContent": {"parts": [{"text": "hi"}]}}
    older = {"eval_set_id": "s", "eval_cases": [{"evalId": "old", "conversation": [said]}]}

    assert written(talk("hi"), older=older)[1] == ["old"]


def test_a_scenario_makes_place_for_the_conversation():
    older = {"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation_scenario": {}}]}

    (case,) = written(talk("hi", case_id="a"), older=older)[0]["eval_cases"]
    assert list(case) == ["eval_id", "conversation"]
