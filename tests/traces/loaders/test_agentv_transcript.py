from agentevals.traces import loaders
from tests.traces.loaders.files import sentences, write


def row(number, role, content, test="t-1", **fields):
    about = {"schema_version": "agentv.transcript.v1", "test_id": test, "message_index": number}
    return {**about, "role": role, "content": content, **fields}


def read(tmp_path, *rows):
    return loaders.load([write(tmp_path / "transcript.jsonl", *rows)])


def test_rows_of_tests_that_take_turns_are_told_apart_and_put_in_order(tmp_path):
    recordings = read(
        tmp_path,
        row(1, "assistant", "hi"),
        row(0, "user", "one", "t-2"),
        row(0, "user", "hello"),
        row(1, "assistant", "two", "t-2"),
    )

    found = [
        (trace.case_id, trace.turns[0].user, trace.turns[0].response) for trace in recordings.traces
    ]
    assert found == [("t-1", "hello", "hi"), ("t-2", "one", "two")]


def test_the_id_of_a_session_is_not_the_name_of_a_test(tmp_path):
    imported = row(0, "assistant", "hi", "s-1", source={"session_id": "s-1"})

    [trace] = read(tmp_path, imported).traces

    assert (trace.trace_id, trace.case_id) == ("s-1", "")


def test_what_was_counted_for_all_is_not_added_to_what_was_counted_for_each(tmp_path):
    total = {"input": 50, "output": 9}
    rows = [
        row(0, "assistant", "a", token_usage={"input": 20, "output": 4}),
        row(1, "assistant", "b", token_usage={"input": 10, "output": 4}),
    ]

    [trace] = read(tmp_path, *[{**each, "transcript_token_usage": total} for each in rows]).traces

    calls = trace.turns[0].model_calls
    assert [(call.input_tokens, call.output_tokens) for call in calls] == [(20, 4), (30, 5)]


def test_a_row_that_is_none_costs_only_itself(tmp_path):
    recordings = read(tmp_path, row(0, "user", "hello"), {"role": 5}, row(1, 5, ""), {"x": 1})

    assert len(recordings.traces) == 1
    assert len(sentences(recordings)) == 3
    assert "has a 'role' that is no text" in sentences(recordings)[1]
