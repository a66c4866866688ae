from agentevals.traces import loaders
from tests.traces.loaders.files import sentences, write


def load(tmp_path, *cases):
    return loaders.load([write(tmp_path / "f.json", {"eval_case_results": cases})])


def test_a_malformed_case_costs_only_itself(tmp_path):
    recordings = load(
        tmp_path,
        {"eval_id": "good"},
        5,
        {"eval_id": "bad", "eval_metric_result_per_invocation": [{"actual_invocation": 7}]},
        {"eval_id": "bad", "eval_metric_result_per_invocation": "none"},
    )

    assert [trace.case_id for trace in recordings.traces] == ["good"]
    assert sentences(recordings, without=tmp_path) == [
        "f.json: eval_case_results[1]: expected an object; it is skipped",
        "f.json: eval_case_results[2].actual_invocation: expected an object; it is skipped",
        (
            "f.json: eval_case_results[3].eval_metric_result_per_invocation: "
            "expected an array; it is skipped"
        ),
    ]


def test_a_case_that_was_run_twice_is_two_traces(tmp_path):
    recordings = load(tmp_path, {"eval_id": "a"}, {"eval_id": "a"})

    assert [(t.trace_id, t.case_id) for t in recordings.traces] == [
        ("f.json/a", "a"),
        ("f.json/a~2", "a"),
    ]


def test_a_text_in_json_that_is_no_result(tmp_path):
    path = write(tmp_path / "f.json", "hello")

    assert "found a text" in sentences(loaders.load([path]))[0]
