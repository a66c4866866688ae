import pytest

from agentevals.traces import loaders
from tests.traces.loaders.files import sentences, write

USER = {"role": "user", "content": "roll"}


def turns(tmp_path, *documents):
    recordings = loaders.load([write(tmp_path / "chat.json", *documents)])
    assert not recordings.findings
    return [turn for trace in recordings.traces for turn in trace.turns]


def called(name, call_id=None):
    return {"id": call_id, "function": {"name": name, "arguments": "{}"}}


def answers(tmp_path, calls, *told):
    asking = {"role": "assistant", "content": "", "tool_calls": calls}
    [turn] = turns(tmp_path, [USER, asking, *[{"role": "tool", **each} for each in told]])
    return [(call.name, call.response, call.answered) for call in turn.tool_calls]


def test_answers_without_an_id_belong_to_the_call_of_their_name(tmp_path):
    calls = [called("roll"), called("look")]

    assert answers(tmp_path, calls, {"name": "look", "content": "a"}, {"content": "b"}) == [
        ("roll", "b", True),
        ("look", "a", True),
    ]


def test_an_answer_to_a_call_that_nobody_made_is_no_answer(tmp_path):
    told = {"tool_call_id": "c9", "content": "a"}

    assert answers(tmp_path, [called("roll", "c1")], told) == [("roll", None, False)]


@pytest.mark.parametrize(
    ("recorded", "seconds"),
    [
        (1760000000, 1760000000),
        (1760000000500, 1760000000.5),
        ("2025-10-09T08:53:20Z", 1760000000),
        ("2025-10-09T10:53:20+02:00", 1760000000),
        ("2025-10-09T08:53:20", 1760000000),
        ("yesterday", 0),
        (-1, 0),
        (True, 0),
        (1e308, 0),
        ([], 0),
    ],
)
def test_times(tmp_path, recorded, seconds):
    [turn] = turns(tmp_path, [{**USER, "timestamp": recorded}])

    assert turn.start_ns == seconds * 1_000_000_000


@pytest.mark.parametrize(
    "document",
    [
        {"messages": [USER]},
        [{"messages": [USER]}],
        {"conversations": [{"messages": [USER]}]},
        [[USER]],
        [USER],
        USER,
    ],
)
def test_every_way_to_wrap_messages(tmp_path, document):
    assert [turn.user for turn in turns(tmp_path, document)] == ["roll"]


def test_a_conversation_of_one_side_only(tmp_path):
    assert turns(tmp_path, {"messages": []}) == []


def test_a_malformed_conversation_costs_only_itself(tmp_path):
    good = {"messages": [USER]}
    path = write(tmp_path / "f.jsonl", good, {"messages": [USER, 5]}, {"foo": 1}, good)

    recordings = loaders.load([path])

    assert [trace.trace_id for trace in recordings.traces] == ["f.jsonl:1", "f.jsonl:4"]
    assert sentences(recordings, without=tmp_path) == [
        "f.jsonl:2: messages[1] is not an object; correct or remove it",
        (
            "f.jsonl:3: is not a transcript: found an object with the keys 'foo'; "
            "correct or remove it"
        ),
    ]
