"""Evidence in formats of messages that something is missing, beside what looks like it."""

import pytest

from agentevals.model.completeness import Fact
from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.traces.loaders.files import sentences, write

USER = {"role": "user", "content": "Roll a die"}
CALL = {"id": "c1", "function": {"name": "roll", "arguments": '{"sides": 6}'}}
ASKED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOLD = {"role": "tool", "tool_call_id": "c1", "content": "4"}
SAID = {"role": "assistant", "content": "You rolled 4."}
BARE_CALL = {"id": "c1", "function": {"name": "roll"}}


def read(path):
    recordings = loaders.load([path])
    assert not recordings.findings
    [conversation] = converse(recordings.traces)
    return conversation.turns


def chat(tmp_path, *messages):
    [turn] = read(write(tmp_path / "chat.json", {"messages": messages}))
    return {gap.fact.value: gap.evidence for gap in turn.gaps}


def test_an_earlier_text_is_not_the_answer_that_is_missing(tmp_path):
    earlier = {"role": "assistant", "content": "I roll."}
    messages = (USER, earlier, ASKED, TOLD, without(SAID, "content"))

    [turn] = read(write(tmp_path / "chat.json", {"messages": messages}))

    assert turn.find_gap(Fact.ANSWER)
    assert turn.response is None
    assert turn.intermediate == ("I roll.",)


def without(fields, key):
    return {name: value for name, value in fields.items() if name != key}


@pytest.mark.parametrize(
    ("messages", "missing"),
    [
        pytest.param((USER, TOLD, SAID), ["tool_calls"], id="an answer to a call that nobody made"),
        pytest.param(
            (USER, without(ASKED, "tool_calls"), SAID),
            ["tool_calls"],
            id="a message with neither a text nor a call",
        ),
        pytest.param(
            (USER, ASKED, TOLD, without(SAID, "content")),
            ["answer", "tool_calls"],
            id="a last message without its content",
        ),
        pytest.param(
            (
                USER,
                {**ASKED, "tool_calls": [BARE_CALL]},
                TOLD,
                SAID,
            ),
            ["arguments"],
            id="a call without arguments",
        ),
        pytest.param(
            (USER, {**ASKED, "tool_calls": [{"id": "c1", "function": {}}]}, TOLD, SAID),
            ["tool_calls"],
            id="a call without a name",
        ),
        pytest.param(
            (USER, ASKED, without(TOLD, "content"), SAID),
            ["tool_answers"],
            id="the message of a tool without its content",
        ),
        pytest.param(
            (USER, {**SAID, "timestamp": 1_760_000_000}),
            ["time"],
            id="a time of one message and not of the other",
        ),
    ],
)
def test_a_transcript_that_lacks_something(tmp_path, messages, missing):
    assert list(chat(tmp_path, *messages)) == missing


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param((USER, ASKED, TOLD, SAID), id="everything was recorded"),
        pytest.param((USER, {"role": "assistant", "content": ""}), id="an empty answer"),
        pytest.param((USER,), id="no answer at all"),
        pytest.param(
            (USER, {"role": "assistant", "content": None, "refusal": "I cannot"}), id="a refusal"
        ),
        pytest.param((USER, ASKED), id="a turn that ends with a call"),
        pytest.param((USER, without(ASKED, "content"), TOLD, SAID), id="a call without a content"),
    ],
)
def test_a_transcript_that_lacks_nothing(tmp_path, messages):
    assert chat(tmp_path, *messages) == {}


def test_a_message_without_a_role_is_refused(tmp_path):
    recordings = loaders.load([write(tmp_path / "c.json", {"messages": [USER, {"content": "x"}]})])

    assert sentences(recordings, without=tmp_path) == [
        "c.json: has messages[1] without 'role', so it is skipped; record it again with all fields"
    ]


def invocation(**fields):
    whole = {
        "invocation_id": "i1",
        "user_content": {"parts": [{"text": "Roll"}]},
        "final_response": {"parts": [{"text": "4"}]},
        "intermediate_data": {
            "tool_uses": [{"id": None, "name": "roll", "args": None}],
            "tool_responses": [{"id": None, "name": "roll", "response": {"value": 4}}],
            "intermediate_responses": [],
        },
    }
    return {**whole, **fields}


def evaluated(tmp_path, actual):
    results = [{"actual_invocation": actual}]
    case = {"eval_id": "one", "eval_metric_result_per_invocation": results}
    [turn] = read(write(tmp_path / "r.evalset_result.json", {"eval_case_results": [case]}))
    return turn


def test_a_call_among_what_an_agent_of_adk_said_on_the_way_is_none(tmp_path):
    data = invocation()["intermediate_data"]
    said = [["sub_agent", [{"function_call": {"name": "b", "args": {}}}, {"text": "so"}]]]

    turn = evaluated(
        tmp_path, invocation(intermediate_data={**data, "intermediate_responses": said})
    )

    assert [call.name for call in turn.tool_calls] == ["roll"]
    assert turn.intermediate == ("so",)


def test_arguments_that_adk_recorded_as_null_are_known_and_not_empty(tmp_path):
    turn = evaluated(tmp_path, invocation())

    assert turn.gaps == ()
    assert [call.args for call in turn.tool_calls] == [None]


@pytest.mark.parametrize(
    ("actual", "missing"),
    [
        (without(invocation(), "final_response"), ["answer"]),
        (without(invocation(), "user_content"), ["question"]),
        (without(invocation(), "intermediate_data"), ["tool_calls"]),
        (invocation(intermediate_data={"tool_uses": [{"name": "roll"}]}), ["arguments"]),
        (invocation(final_response=None), []),
    ],
)
def test_adk_writes_null_for_what_is_not_there(tmp_path, actual, missing):
    found = [gap.fact.value for gap in evaluated(tmp_path, actual).gaps]

    assert found[: len(missing)] == missing
    assert bool(found) == bool(missing)


def test_an_answer_of_agentv_alone_does_not_tell_what_was_called(tmp_path):
    row = {"test_id": "a", "score": 1, "answer": "done", "input": "Do it"}
    [turn] = read(write(tmp_path / "results.jsonl", row))
    counted = {**row, "trace": {"tool_calls_by_name": {}}}
    [whole] = read(write(tmp_path / "counted.jsonl", counted))

    assert [gap.fact.value for gap in turn.gaps] == ["tool_calls"]
    assert whole.gaps == ()


def test_a_log_whose_tool_answers_a_call_that_is_missing(tmp_path):
    about = {"sessionId": "s", "isSidechain": False}
    told = [{"type": "tool_result", "tool_use_id": "t1", "content": "4"}]
    said = [{"type": "text", "text": "4"}]
    [turn] = read(
        write(
            tmp_path / "log.jsonl",
            {**about, "type": "user", "message": {"role": "user", "content": "Roll"}},
            {**about, "type": "user", "message": {"role": "user", "content": told}},
            {**about, "type": "assistant", "message": {"id": "m", "content": said}},
        )
    )

    assert [gap.fact.value for gap in turn.gaps] == ["tool_calls"]
    assert turn.gaps[0].evidence == "a tool has answered, and nothing has called it"
