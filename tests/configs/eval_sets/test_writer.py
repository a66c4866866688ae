import json

import pytest

from agentevals.configs import eval_sets
from agentevals.configs.eval_sets.writer import write_eval_set
from agentevals.model.conversations import Conversation, ToolCall, Turn
from agentevals.text.json_ import readable

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
