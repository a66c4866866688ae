import gc
import json
import os
import threading

from agentevals.traces import loaders
from tests.traces.loaders.files import OTHER, TRACE, export, names, rules, sentences, span, write


def test_a_trace_split_over_files_is_joined(tmp_path):
    a = write(tmp_path / "a.json", export(span(1)))
    b = write(tmp_path / "b.json", export(span(2), span(3, traceId=OTHER)))

    recordings = loaders.load([a, b])

    assert names(recordings) == [["span 1", "span 2"], ["span 3"]]
    assert recordings.traces[0].sources == (str(a), str(b))
    assert sentences(recordings, without=tmp_path) == [
        f"a.json: trace {TRACE} is split over a.json, b.json; joined into one"
    ]
    assert rules(recordings) == [("note", "joined-trace")]


def test_many_split_traces_are_said_at_once(tmp_path):
    traces = [f"{number:032x}" for number in range(1, 9)]
    files = [
        write(tmp_path / f"{n}.json", export(*[span(n, traceId=t) for t in traces])) for n in (1, 2)
    ]

    assert sentences(loaders.load(files), without=tmp_path) == [
        (
            f"1.json: 8 traces, the first {traces[0]}, are split over 1.json, 2.json; "
            "each joined into one"
        )
    ]


def test_a_trace_split_over_lines_is_joined_without_a_word(tmp_path):
    path = write(tmp_path / "a.jsonl", span(1), span(2, traceId=OTHER), span(3))

    recordings = loaders.load([path])

    assert names(recordings) == [["span 1", "span 3"], ["span 2"]]
    assert recordings.findings == ()


def test_a_span_recorded_twice_counts_once(tmp_path):
    a = write(tmp_path / "a.jsonl", export(span(1), span(1, name="again")), span(2))
    b = write(tmp_path / "b.json", span(2, name="again, elsewhere"))

    [trace] = loaders.load([a, b]).traces

    assert [span.name for span in trace.spans] == ["span 1", "span 2"]
    assert trace.warnings == (
        "duplicate span 0000000000000001 ignored",
        "duplicate span 0000000000000002 ignored",
    )


def test_a_file_given_twice_counts_once(tmp_path):
    path = write(tmp_path / "a.json", export(span()))
    copy = write(tmp_path / "b.json", export(span()))

    recordings = loaders.load([path, path, copy])

    assert names(recordings) == [["span 1"]]
    assert recordings.traces[0].warnings == ()
    assert sentences(recordings, without=tmp_path) == [
        "a.json: was given before; counted once",
        "b.json: has the same content as a.json; counted once",
    ]
    assert rules(recordings) == [("warning", "repeated-file")] * 2


def test_conversations_of_one_name_are_not_joined(tmp_path):
    files = [
        write(tmp_path / run / "chat.json", [{"role": "user", "content": run}])
        for run in ("first", "second")
    ]

    recordings = loaders.load(files)

    assert [(t.trace_id, t.turns[0].user, t.turns[0].trace_id) for t in recordings.traces] == [
        ("chat.json", "first", "chat.json"),
        ("chat.json~2", "second", "chat.json~2"),
    ]


def test_a_folder_stands_for_the_trace_files_in_it(tmp_path):
    write(tmp_path / "b.jsonl", export(span(2)))
    write(tmp_path / "a.json", export(span(1)))
    write(tmp_path / "notes.md", "not a trace")
    write(tmp_path / "eval_set.json", {"eval_cases": []})
    write(tmp_path / "deeper/c.json", export(span(3)))

    recordings = loaders.load([tmp_path])

    assert names(recordings) == [["span 1", "span 2"]]
    assert rules(recordings) == [("warning", "no-trace"), ("note", "joined-trace")]


def test_a_folder_without_trace_files(tmp_path):
    recordings = loaders.load([tmp_path])

    assert rules(recordings) == [("error", "no-trace-file")]
    assert "is a folder without trace files (.json, .jsonl, " in sentences(recordings)[0]


def test_a_pipe_is_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(json.dumps(export(span()))))
    writer.start()

    recordings = loaders.load([pipe])
    writer.join()

    assert names(recordings) == [["span 1"]]


def test_the_garbage_collector_works_again(tmp_path):
    loaders.load([write(tmp_path / "a.json", export(span()))])

    assert gc.isenabled()


def test_more_than_memory_is_kept_on_disk(tmp_path):
    text = "x" * 100_000
    traces = [f"{number:032x}" for number in range(1, 801)]
    path = tmp_path / "a.jsonl"
    with path.open("w") as file:
        for number in (1, 2):
            for trace in traces[:: -1 if number == 2 else 1]:
                spans = export(span(number, traceId=trace, attributes={"text": text}))
                file.write(json.dumps(spans) + "\n")

    recordings = loaders.load([path])

    assert len(recordings.traces) == 800
    assert [trace.trace_id for trace in recordings.traces] == traces
    assert recordings.traces[799].spans[1].attributes == {"text": text}
    assert [span.name for span in recordings.traces[-1].spans] == ["span 1", "span 2"]
