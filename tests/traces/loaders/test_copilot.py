import pytest

from agentevals.model.completeness import Fact
from agentevals.traces import loaders
from tests.traces.loaders.files import sentences, write


def event(kind, event_id="e", **data):
    return {"type": kind, "data": data, "id": event_id}


START = event("session.start", sessionId="s-1", selectedModel="gpt")


def read(tmp_path, *records):
    return loaders.load([write(tmp_path / "events.jsonl", START, *records)])


def turns(tmp_path, *records):
    recordings = read(tmp_path, *records)
    assert not recordings.findings
    return [turn for trace in recordings.traces for turn in trace.turns]


def said(text, message="m", **data):
    return event("assistant.message", messageId=message, content=text, **data)


def test_a_prompt_that_was_taken_back_takes_what_followed_with_it(tmp_path):
    found = turns(
        tmp_path,
        event("user.message", "u1", content="hello"),
        said("hi"),
        event("user.message", "u2", content="nonsense"),
        said("what?"),
        event("session.snapshot_rewind", upToEventId="u2", eventsRemoved=2),
        event("user.message", "u3", content="bye"),
    )

    assert [turn.user for turn in found] == ["hello", "bye"]


def test_counts_before_or_after_their_message_are_those_of_one_request(tmp_path):
    usage = event("assistant.usage", inputTokens=5, outputTokens=2)

    [turn] = turns(tmp_path, said("a", "m1", outputTokens=2), usage, usage, said("b", "m2"))

    assert [(c.input_tokens, c.output_tokens) for c in turn.model_calls] == [(5, 2), (5, 2)]


def test_what_subagents_used_is_not_counted(tmp_path):
    usage = event("assistant.usage", inputTokens=5, initiator="sub-agent")

    [turn] = turns(tmp_path, said("a"), usage)

    assert [call.input_tokens for call in turn.model_calls] == [None]


def test_a_tool_that_only_ran_was_called(tmp_path):
    [turn] = turns(
        tmp_path,
        event("tool.execution_start", toolCallId="1", toolName="bash", arguments="{}"),
        event("tool.execution_complete", toolCallId="1", success=True, result="4"),
        event("tool.execution_complete", toolCallId="2", success=True, result="5"),
    )

    assert [(call.name, call.response) for call in turn.tool_calls] == [("bash", 4)]


def test_an_error_of_the_session_is_a_warning(tmp_path):
    [trace] = read(tmp_path, said("hi"), event("session.error", message="no quota")).traces

    assert trace.warnings == ("the session tells of an error: no quota",)


def test_what_is_not_known_or_not_sound_costs_only_itself(tmp_path):
    recordings = read(
        tmp_path, event("novel.kind"), {"type": "user.message", "data": 5}, said("hi")
    )

    assert [turn.response for turn in recordings.traces[0].turns] == ["hi"]
    assert sentences(recordings, without=tmp_path) == [
        "events.jsonl:3: has no 'data' although it is of type 'user.message'; it is skipped",
        "events.jsonl: 1 record of unknown kinds skipped: 'novel.kind'",
    ]


def test_what_a_skill_adds_is_no_prompt(tmp_path):
    found = turns(
        tmp_path,
        event("user.message", content="hello"),
        said("hi"),
        event("user.message", content="how to read a PDF", source="skill-pdf"),
        said("still here", "n"),
    )

    assert [(turn.user, turn.response) for turn in found] == [("hello", "still here")]


@pytest.mark.parametrize(
    ("total", "is_known"),
    [
        ({"inputTokens": 9, "outputTokens": 4}, True),
        ({"inputTokens": 9}, False),
        ({"outputTokens": 4}, False),
    ],
)
def test_a_total_with_half_of_its_counts_is_none(tmp_path, total, is_known):
    end = event("session.shutdown", modelMetrics={"gpt": {"usage": total}})

    [turn] = turns(tmp_path, event("user.message", "u1", content="hello"), said("a"), end)

    assert (turn.find_gap(Fact.TOKENS) is None) is is_known
