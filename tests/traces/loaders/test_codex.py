import pytest

from agentevals.traces import loaders
from tests.traces.loaders.files import sentences, write

HEAD = {"type": "session_meta", "payload": {"id": "c-1", "source": "cli"}}


def item(**payload):
    return {"type": "response_item", "payload": payload}


def event(**payload):
    return {"type": "event_msg", "payload": payload}


def message(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return item(type="message", role=role, content=[{"type": kind, "text": text}])


def read(tmp_path, *records):
    return loaders.load([write(tmp_path / "rollout.jsonl", HEAD, *records)])


def turns(tmp_path, *records):
    recordings = read(tmp_path, *records)
    assert not recordings.findings
    return [turn for trace in recordings.traces for turn in trace.turns]


def test_without_typed_prompts_those_that_the_model_was_given_count(tmp_path):
    added = message("user", "<environment_context>x</environment_context>")

    found = turns(
        tmp_path,
        added,
        message("user", "hello"),
        message("assistant", "hi"),
        message("user", "bye"),
    )

    assert [(turn.user, turn.response) for turn in found] == [("hello", "hi"), ("bye", None)]


@pytest.mark.parametrize(
    ("output", "response", "failed"),
    [
        ("plain", "plain", False),
        ("Exit code: 2\nOutput:\nno", "Exit code: 2\nOutput:\nno", True),
        ("Exit code: 0\nOutput:\nExit code: 2", "Exit code: 0\nOutput:\nExit code: 2", False),
        ('{"output": "no", "metadata": {"exit_code": 1}}', "no", True),
        ('{"output": "4", "metadata": {}}', "4", False),
        ({"content": "no", "success": False}, "no", True),
        ([{"type": "input_text", "text": "seen"}], "seen", False),
        (None, None, False),
        ({"metadata": 5}, {"metadata": 5}, False),
    ],
)
def test_what_a_tool_answered(tmp_path, output, response, failed):
    [turn] = turns(
        tmp_path,
        item(type="function_call", name="shell", arguments="{}", call_id="1"),
        item(type="function_call_output", call_id="1", output=output),
    )

    [call] = turn.tool_calls
    assert (call.response, call.failed, call.answered) == (response, failed, True)


def test_a_call_of_a_server_has_the_name_of_the_server_before_its_own(tmp_path):
    call = item(type="function_call", name="roll", namespace="mcp__dice__", arguments='{"a": 1}')

    [turn] = turns(tmp_path, call)

    assert [(call.name, call.args) for call in turn.tool_calls] == [("mcp__dice__roll", {"a": 1})]


def test_counts_that_are_told_again_count_once(tmp_path):
    info = {"last_token_usage": {"input_tokens": 5}, "total_token_usage": {"input_tokens": 5}}
    more = {"last_token_usage": {"input_tokens": 3}, "total_token_usage": {"input_tokens": 8}}
    told = [event(type="token_count", info=each) for each in (info, info, None, more)]

    [turn] = turns(tmp_path, *told)

    assert [call.input_tokens for call in turn.model_calls] == [5, 3]


@pytest.mark.parametrize(("kinds", "more"), [(5, False), (6, True)])
def test_the_first_five_kinds_that_are_not_known_are_named(tmp_path, kinds, more):
    strange = [{"type": f"strange-{at}", "payload": {}} for at in range(kinds)]

    [finding] = read(tmp_path, message("user", "hi"), *strange).findings

    assert finding.message.count("strange-") == 5
    assert finding.message.endswith(" and others") == more


def test_an_error_is_a_warning_of_the_conversation(tmp_path):
    [trace] = read(tmp_path, event(type="error", message="no quota")).traces

    assert trace.warnings == ("the session tells of an error: no quota",)


def test_the_work_of_a_subagent_is_refused(tmp_path):
    head = {"type": "session_meta", "payload": {"id": "c", "source": {"subagent": "review"}}}

    recordings = loaders.load([write(tmp_path / "rollout.jsonl", head)])

    assert sentences(recordings, without=tmp_path) == [
        "rollout.jsonl: is the work of a subagent; give the session that started it"
    ]


def test_the_head_of_an_earlier_session_does_not_rename_this_one(tmp_path):
    earlier = {"type": "session_meta", "payload": {"id": "c-0"}}

    [trace] = read(tmp_path, earlier, message("assistant", "hi")).traces

    assert trace.trace_id == "c-1"


def test_what_is_not_known_or_not_sound_costs_only_itself(tmp_path):
    recordings = read(
        tmp_path, item(type="new"), {"type": "event_msg", "payload": 5}, message("assistant", "hi")
    )

    assert [turn.response for turn in recordings.traces[0].turns] == ["hi"]
    assert sentences(recordings, without=tmp_path) == [
        "rollout.jsonl:3: has no 'payload' although it is of type 'event_msg'; it is skipped",
        "rollout.jsonl: 1 record of unknown kinds skipped: 'new'",
    ]


def test_a_turn_that_failed_is_said(tmp_path):
    path = write(
        tmp_path / "printed.jsonl",
        {"type": "thread.started", "thread_id": "t"},
        {"type": "turn.started"},
        {"type": "turn.failed", "error": {"message": "no quota"}},
        {"type": "item.completed", "item": {"type": "error", "message": "no net"}},
    )

    [trace] = loaders.load([path]).traces

    assert trace.warnings == (
        "a turn failed: no quota",
        "the session tells of an error: no net",
    )
    assert [call.failed for turn in trace.turns for call in turn.model_calls] == [True]
