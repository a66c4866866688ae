import json

import pytest

from agentevals.graders.budgets.agentv_limits import Latency
from agentevals.graders.grader import Services
from agentevals.model.cases import Case
from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.traces.loaders.files import sentences, write


def row(test="t-1", **fields):
    return {"test_id": test, "score": 1, "execution_status": "ok", **fields}


def only(tmp_path, *documents, name="results.jsonl"):
    recordings = loaders.load([write(tmp_path / name, *documents)])
    assert not recordings.findings
    [trace] = recordings.traces
    return trace


SPOKEN = [{"role": "assistant", "content": "hi"}]


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"answer": "hi"}, "hi"),
        ({"candidate_answer": "hi"}, "hi"),
        ({"candidateAnswer": ""}, ""),
        ({"output": "hi"}, "hi"),
        ({"output": SPOKEN}, "hi"),
        ({"messages": SPOKEN}, "hi"),
        ({"output": [*SPOKEN, {"role": "assistant", "content": None}]}, "hi"),
        ({"output": [*SPOKEN, {"role": "assistant", "content": ""}]}, ""),
        ({"output": [{"role": "assistant", "content": {"a": [1, "é"]}}]}, '{"a":[1,"é"]}'),
        ({"answer": {"a": 1}}, '{"a":1}'),
    ],
)
def test_the_answer_is_the_last_content_that_there_is(tmp_path, fields, answer):
    assert only(tmp_path, row(**fields)).turns[0].response == answer


def test_a_row_without_an_answer_says_how_to_record_it(tmp_path):
    trimmed = only(tmp_path, row(verdict="pass"))

    assert trimmed.error == (
        "the row holds neither an answer nor messages; record it again with them"
    )


def test_what_the_user_says_in_several_messages_is_one_turn(tmp_path):
    said = [{"role": "user", "content": text} for text in ("Hi.", "Where is it?")]

    [turn] = only(tmp_path, row(output=[*said, *SPOKEN])).turns

    assert (turn.user, turn.response) == ("Hi.\n\nWhere is it?", "hi")


@pytest.mark.parametrize(
    "wrap", [lambda r: r, lambda r: [r], lambda r: {"stats": {}, "results": [r]}]
)
def test_rows_may_be_wrapped(tmp_path, wrap):
    assert only(tmp_path, wrap(row(answer="hi"))).case_id == "t-1"


def test_a_run_that_failed_is_an_error_whatever_it_left_behind(tmp_path):
    failed = row(
        execution_status="execution_error",
        failure_stage="agent",
        error={"message": "no key"},
        output=SPOKEN,
    )

    trace = only(tmp_path, failed)

    assert (trace.turns, trace.error) == ((), "AgentV could not run it (agent): no key")


def test_a_judge_that_failed_over_there_is_no_reason_not_to_judge_here(tmp_path):
    failed = row(execution_status="execution_error", failure_stage="evaluator", answer="hi")

    trace = only(tmp_path, failed)

    assert (trace.error, trace.turns[0].response) == ("", "hi")
    assert "AgentV could not score it (evaluator)" in trace.warnings[0]


@pytest.mark.parametrize(("trials", "warnings"), [(0, 0), (1, 0), (2, 1)])
def test_several_trials_are_worth_a_warning(tmp_path, trials, warnings):
    trace = only(tmp_path, row(answer="hi", trials=[{"attempt": at} for at in range(trials)]))

    assert sum("trials were run" in one for one in trace.warnings) == warnings


def test_calls_that_were_only_counted_have_no_order(tmp_path):
    one = only(tmp_path, row(answer="hi", trace={"tool_calls_by_name": {"a": 2}}))
    two = only(tmp_path, row(answer="hi", trace={"tool_calls_by_name": {"b": 1, "a": 1}}))

    assert [(call.name, call.args) for call in two.turns[0].tool_calls] == [
        ("a", None),
        ("b", None),
    ]
    assert (one.turns[0].unordered, two.turns[0].unordered) == (False, True)
    assert "neither in which order nor with what" in two.warnings[0]


def test_calls_that_the_messages_do_not_hold_are_counted(tmp_path):
    trace = only(tmp_path, row(output=SPOKEN, trace={"tool_calls_by_name": {"a": 1}}))

    assert [call.name for call in trace.turns[0].tool_calls] == ["a"]


def test_an_answer_alone_says_nothing_about_tools(tmp_path):
    trace = only(tmp_path, row(answer="hi"))

    assert trace.warnings == (
        "recorded is the answer only; whether tools were called is not known",
    )


@pytest.mark.parametrize("counts", [{"a": 10**9}, {"a": "10000000"}])
def test_a_count_beyond_reason_costs_its_row(tmp_path, counts):
    path = write(
        tmp_path / "r.jsonl",
        row(answer="hi", trace={"tool_calls": counts}),
        row("t-2", answer="hi"),
    )

    recordings = loaders.load([path])

    assert [trace.case_id for trace in recordings.traces] == ["t-2"]
    assert "counts more than 100000 tool calls" in sentences(recordings)[0]


def test_the_files_of_a_run_are_read_along_with_its_index(tmp_path):
    outputs = tmp_path / "suite" / "t-1" / "outputs"
    write(
        outputs / "transcript.jsonl",
        {"schema_version": "agentv.transcript.v1", "role": "user", "content": "hello"},
        {
            "schema_version": "agentv.transcript.v1",
            "role": "assistant",
            "content": "hi",
            "tool_calls": [{"tool": "look", "input": {"at": 1}}],
        },
    )
    (outputs / "answer.md").write_text("Answered.")
    index = [
        row(transcript_path="suite/t-1/outputs/transcript.jsonl"),
        row("t-2", answer_path="suite/t-1/outputs/answer.md"),
        row(
            "t-3", artifact_pointers={"transcript": {"path": "suite/t-1/outputs/transcript.jsonl"}}
        ),
        row("t-4", answer_path="suite/t-1/outputs/response.md"),
    ]

    traces = loaders.load([write(tmp_path / "index.jsonl", *index)]).traces

    assert [[turn.response for turn in trace.turns] for trace in traces] == [
        ["hi"],
        ["Answered."],
        ["hi"],
        [],
    ]
    assert [call.args for call in traces[0].turns[0].tool_calls] == [{"at": 1}]
    assert "give the whole folder of the run" in traces[3].error


@pytest.mark.parametrize(
    "name",
    [
        "../secret.md",
        "/etc/hostname",
        "link.md",
        "a\0b",
        ".",
        "[a]/../../secret.md",
        "[b]/secret.md",
    ],
)
def test_a_row_leads_nowhere_else(tmp_path, name):
    run = tmp_path / "run"
    (run / "[a]").mkdir(parents=True)
    (run / "[b]").symlink_to(tmp_path)
    (tmp_path / "secret.md").write_text("secret")
    (run / "link.md").symlink_to(tmp_path / "secret.md")

    trace = only(run, row(answer_path=name))

    assert trace.turns == ()
    assert "the answer is not beside the results" in trace.error


@pytest.mark.parametrize("key", ["answer_path", "transcript_path"])
def test_files_beside_the_rows_are_read_up_to_a_bound(tmp_path, key):
    with (tmp_path / "long").open("wb") as file:
        file.truncate((1 << 30) + 1)

    loaded = loaders.load([write(tmp_path / "results.jsonl", row(**{key: "long"}))])

    assert not loaded.traces
    assert "the files that its rows name come to more than 1 GiB" in loaded.findings[0].message


@pytest.mark.parametrize("odd", [None, 5, "x", [], {}, [5], [[]], True, 1e300])
@pytest.mark.parametrize(
    "key",
    [
        *("output", "input", "trace", "token_usage", "duration_ms", "start_time", "error"),
        *("trials", "target", "conversation_id", "artifact_pointers", "cost_usd"),
        "transcript_path",
    ],
)
def test_a_value_of_the_wrong_kind_ends_in_a_sentence_or_in_nothing(tmp_path, key, odd):
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(row(**{"answer": "hi", key: odd})) + "\n")

    recordings = loaders.load([path])

    assert len(recordings.traces) + len(recordings.findings) == 1


def test_a_transcript_that_was_cut_off_is_not_taken_for_a_shorter_one(tmp_path):
    path = write(tmp_path / "transcript.jsonl", {"role": "assistant", "content": "hi"})
    path.write_text(path.read_text() + '{"role": "assis')
    index = write(tmp_path / "index.jsonl", row(transcript_path="transcript.jsonl"))

    recordings = loaders.load([index])

    assert list(recordings.traces) == []
    assert "row 1: transcript.jsonl:2 ends in the middle of a value" in sentences(recordings)[0]


def test_tests_of_one_conversation_id_are_conversations_of_their_own(tmp_path):
    rows = [row(name, answer="hi", conversation_id="c-1") for name in ("t-1", "t-2")]

    traces = loaders.load([write(tmp_path / "r.jsonl", *rows)]).traces
    found = converse(traces, group_by="auto", multi_turn_expected=True)

    assert [conversation.case_id for conversation in found] == ["t-1", "t-2"]


@pytest.mark.parametrize(
    ("fields", "limit", "score"),
    [
        ({"output": SPOKEN, "duration_ms": 0}, 0, 1.0),
        ({"answer": "hi", "duration_ms": 0}, 0, 1.0),
        ({"output": SPOKEN, "duration_ms": 2}, 1, 0.0),
        ({"output": SPOKEN}, 1000, None),
    ],
)
def test_no_time_at_all_is_a_time_that_is_known(tmp_path, fields, limit, score):
    [conversation] = converse([only(tmp_path, row(**fields))])

    grade = Latency(name="latency", max_ms=limit).grade(Case(conversation=conversation), Services())

    assert grade.score == score
