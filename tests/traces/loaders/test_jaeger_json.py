from agentevals.traces import loaders
from tests.traces.loaders.files import names, rules, sentences, write


def load(tmp_path, *spans):
    return loaders.load([write(tmp_path / "f.json", {"data": [{"traceID": "A1", "spans": spans}]})])


def test_a_malformed_span_costs_only_itself(tmp_path):
    recordings = load(
        tmp_path,
        {"spanID": "1", "operationName": "good"},
        {"spanID": 5},
        7,
        {"spanID": "2", "startTime": 10**400},
        {"spanID": "3", "tags": [{"key": "n", "type": "int64", "value": "many"}]},
    )

    assert names(recordings) == [["good"]]
    assert recordings.traces[0].trace_id == "a1"
    assert sentences(recordings, without=tmp_path) == [
        "f.json: data[0].spans[1].spanID: expected `str`, got `int`; it is skipped",
        "f.json: data[0].spans[2]: expected `object`, got `int`; it is skipped",
        "f.json: data[0].spans[3].startTime: expected `int` <= 4611686018427387; it is skipped",
        "f.json: data[0].spans[4]: invalid literal for int() with base 10: 'many'; it is skipped",
    ]


def test_a_span_without_an_id_belongs_nowhere(tmp_path):
    recordings = load(tmp_path, {"spanID": "0"}, {"spanID": "1"})

    assert rules(recordings) == [("warning", "skipped-span")]
    assert sentences(recordings, without=tmp_path) == [
        "f.json: data[0].spans[0] has no trace id or no span id; it is skipped"
    ]


def test_numbers_that_fit_nowhere(tmp_path):
    tags = [{"key": "big", "value": 10**30}, {"key": "text", "type": "int64", "value": str(10**30)}]

    [trace] = load(tmp_path, {"spanID": "1", "tags": tags}).traces

    assert trace.spans[0].attributes == {"big": str(10**30), "text": str(10**30)}
