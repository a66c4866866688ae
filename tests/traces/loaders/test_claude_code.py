import pytest

from agentevals.traces import loaders
from tests.traces.loaders.files import sentences, write

SESSION = "s-1"


def line(kind, content, uuid=None, parent=None, **fields):
    """A record of a session log."""
    message = {"role": kind, "content": content}
    about = {"type": kind, "sessionId": SESSION, "uuid": uuid, "parentUuid": parent}
    return {**about, "message": message, **fields}


def said(text, message="m", uuid=None, **usage):
    record = line("assistant", [{"type": "text", "text": text}], uuid)
    record["message"] |= {"id": message, "model": "claude", "usage": usage}
    return record


def read(tmp_path, *records):
    return loaders.load([write(tmp_path / "session.jsonl", *records)])


def turns(tmp_path, *records):
    recordings = read(tmp_path, *records)
    assert not recordings.findings
    return [turn for trace in recordings.traces for turn in trace.turns]


def asked(tmp_path, *records):
    return [turn.user for turn in turns(tmp_path, *records)]


@pytest.mark.parametrize(
    "record",
    [
        line("user", "<local-command-stdout>done</local-command-stdout>"),
        line("user", "<system-reminder>be brief</system-reminder>"),
        line("user", "[Request interrupted by user for tool use]"),
        line("user", "what was said so far", isCompactSummary=True),
        line("user", "Stop hook feedback: no", isMeta=True),
        line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]),
        line("user", [{"type": "tool_result", "tool_use_id": "t"}, {"type": "text", "text": "x"}]),
        line("user", "to somebody else", isSidechain=True),
        line("user", "to somebody else", parent_tool_use_id="t"),
        line("user", []),
        line("user", 5),
    ],
)
def test_what_nobody_typed_is_no_prompt(tmp_path, record):
    records = line("user", "hello"), said("hi"), record, said("still here", "n")

    assert asked(tmp_path, *records) == ["hello"]


def test_a_picture_alone_is_a_prompt(tmp_path):
    picture = line("user", [{"type": "image", "source": {}}])

    assert asked(tmp_path, line("user", "hello"), said("hi"), picture, said("nice")) == [
        "hello",
        "",
    ]


def test_a_command_is_a_prompt_when_an_agent_worked_on_it(tmp_path):
    command = "<command-name>/{0}</command-name>\n<command-args>{1}</command-args>"
    records = line("user", command.format("tidy", "src")), said("done")
    idle = line("user", command.format("model", ""))

    assert asked(tmp_path, *records, idle, line("user", "thanks"), idle) == ["/tidy src", "thanks"]


def test_lines_of_one_message_are_one_request_and_one_text(tmp_path):
    [turn] = turns(
        tmp_path,
        line("user", "hello"),
        said("Hel", output_tokens=1, input_tokens=7),
        said("Hello, ", output_tokens=2, input_tokens=7),
        said("you.", output_tokens=9, input_tokens=7),
    )

    assert turn.response == "Hello, you."
    assert [(c.input_tokens, c.output_tokens) for c in turn.model_calls] == [(7, 9)]


def test_a_record_that_is_copied_into_the_log_again_counts_once(tmp_path):
    records = [line("user", "hello", "u1"), said("hi", uuid="a1", input_tokens=7)]

    [turn] = turns(tmp_path, *records, *records)

    assert (turn.user, turn.response, len(turn.model_calls)) == ("hello", "hi", 1)


def test_a_parent_that_is_its_own_child_changes_nothing(tmp_path):
    records = line("user", "hello", "u1", "a1"), {**said("hi", uuid="a1"), "parentUuid": "a1"}

    assert asked(tmp_path, *records, line("user", "bye", "a2", "a2")) == ["hello", "bye"]


def test_a_failed_request_is_no_answer(tmp_path):
    failed = {**said("API Error: 529"), "isApiErrorMessage": True}

    [turn] = turns(tmp_path, line("user", "hello"), failed)

    assert turn.response is None
    assert [call.failed for call in turn.model_calls] == [True]


def test_the_words_of_the_program_about_a_refusal_are_no_request(tmp_path):
    told = {**said("API Error: the model cannot help", "n"), "isApiErrorMessage": True}
    told["message"] |= {"model": "<synthetic>", "stop_reason": "refusal"}

    [turn] = turns(tmp_path, line("user", "hello"), said("I cannot tell you."), told)

    assert turn.response == "I cannot tell you."
    assert [call.failed for call in turn.model_calls] == [False]


def test_a_refusal_that_follows_the_words_about_it_is_one_request(tmp_path):
    told = {**said("API Error: the model cannot help", "n"), "isApiErrorMessage": True}
    refusal = said("I cannot tell you.")
    refusal["message"] |= {"stop_reason": "refusal"}

    [turn] = turns(tmp_path, line("user", "hello"), told, refusal)

    assert turn.response == "I cannot tell you."
    assert [call.failed for call in turn.model_calls] == [False]


def structure(call_id, **given):
    call = {"type": "tool_use", "id": call_id, "name": "StructuredOutput", "input": given}
    record = line("assistant", [call])
    record["message"] |= {"id": call_id}
    return record


def hear_tool(call_id, text, **more):
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text, **more}
    return line("user", [block])


def test_an_object_that_the_program_has_taken_is_the_answer(tmp_path):
    records = structure("a", status=5), hear_tool("a", "no text", is_error=True)
    again = structure("b", status="shipped"), hear_tool("b", "Structured output provided")

    [turn] = turns(tmp_path, line("user", "hello"), *records, *again, said("Done.", "n"))

    assert turn.response == '{"status": "shipped"}'
    assert turn.intermediate == ("Done.",)
    assert [call.name for call in turn.tool_calls] == ["StructuredOutput", "StructuredOutput"]


def test_sessions_of_one_file_are_conversations_of_their_own(tmp_path):
    other = {**line("user", "bye"), "sessionId": "s-2"}

    recordings = read(tmp_path, line("user", "hello"), other)

    assert [trace.trace_id for trace in recordings.traces] == ["s-1", "s-2"]


def test_a_file_of_a_subagent_is_refused(tmp_path):
    recordings = read(tmp_path, line("user", "hello", isSidechain=True))

    assert sentences(recordings, without=tmp_path) == [
        (
            "session.jsonl: holds only the work of a subagent; "
            "give the log of the session that started it"
        )
    ]


def test_unknown_kinds_are_counted_and_a_bad_record_costs_only_itself(tmp_path):
    odd = [{"type": kind, "sessionId": SESSION} for kind in ("new", "newer", "new")]
    broken = {"type": "user", "sessionId": SESSION, "message": "hello"}

    recordings = read(tmp_path, line("user", "hello"), *odd, broken, said("hi"))

    assert [turn.response for turn in recordings.traces[0].turns] == ["hi"]
    assert sentences(recordings, without=tmp_path) == [
        "session.jsonl:5: has no 'message' although it is of type 'user'; it is skipped",
        "session.jsonl: 3 records of unknown kinds skipped: 'new', 'newer'",
    ]


def test_a_log_that_is_still_written_says_where_it_ends(tmp_path):
    path = write(tmp_path / "session.jsonl", line("user", "hello"), said("hi"))
    path.write_bytes(path.read_bytes() + b'{"type": "user", "mess')

    recordings = loaders.load([path])

    assert len(recordings.traces) == 1
    assert "session.jsonl:3:23: ends in the middle of a value" in sentences(recordings)[0]
