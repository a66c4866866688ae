import json

from agentevals.traces import loaders
from tests.traces.loaders.files import TRACE, export, names, rules, sentences, span, write


def load(tmp_path, *documents):
    return loaders.load([write(tmp_path / "f.json", *documents)])


def test_a_malformed_span_costs_only_itself(tmp_path):
    recordings = load(
        tmp_path,
        export(
            span(1, name=5),
            span(2),
            span(3, startTimeUnixNano="soon"),
            7,
            span(4, endTimeUnixNano=10**400),
            span(5, attributes=[{"key": "a", "value": {"intValue": "x"}}]),
        ),
    )

    where = "f.json: resourceSpans[0].scopeSpans[0].spans"
    assert names(recordings) == [["span 2"]]
    assert sentences(recordings, without=tmp_path) == [
        f"{where}[0].name: expected `str`, got `int`; it is skipped",
        f"{where}[2].startTimeUnixNano: expected `int`, got `str`; it is skipped",
        f"{where}[3]: expected `object`, got `int`; it is skipped",
        f"{where}[4].endTimeUnixNano: expected `int` <= 9223372036854775807; it is skipped",
        (
            f"{where}[5].attributes[0].value.intValue: expected `int | null`, got `str`; "
            "it is skipped"
        ),
    ]


def test_a_malformed_log_record_costs_only_itself(tmp_path):
    logs = [{"traceId": TRACE, "body": {"stringValue": "hm"}}, {"traceId": 5}]

    recordings = load(tmp_path, {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]})

    assert recordings.traces[0].logs[0].body == "hm"
    assert sentences(recordings, without=tmp_path) == [
        (
            "f.json: resourceLogs[0].scopeLogs[0].logRecords[1].traceId: expected "
            "`str`, got `int`; it is skipped"
        )
    ]


def test_a_file_of_nothing_but_nameless_spans_is_an_error(tmp_path):
    recordings = load(tmp_path, export(span(0)))

    assert rules(recordings) == [("warning", "skipped-span"), ("error", "no-trace")]


def test_spans_and_logs_of_no_trace_are_said(tmp_path):
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "hm"}}]}]}]}

    recordings = load(
        tmp_path, export(span(1), span(0), span(2, traceId=None), span(3, traceId="0" * 32)) | logs
    )

    assert names(recordings) == [["span 1"]]
    assert rules(recordings) == [("warning", "skipped-span"), ("note", "skipped-log")]
    assert sentences(recordings, without=tmp_path) == [
        "f.json: 3 spans without a trace id or a span id are skipped; they belong to no trace",
        "f.json: 1 log records without a trace id are skipped; they belong to no trace",
    ]


def nested(levels):
    value = {"intValue": 1}
    for _ in range(levels):
        value = {"arrayValue": {"values": [value]}}
    return [{"key": "deep", "value": value}]


def test_values_are_nested_64_levels_at_most(tmp_path):
    recordings = load(
        tmp_path, export(span(1, attributes=nested(64)), span(2, attributes=nested(65)))
    )

    assert names(recordings) == [["span 1"]]
    assert sentences(recordings, without=tmp_path) == [
        (
            "f.json: resourceSpans[0].scopeSpans[0].spans[1]: an attribute is nested deeper than "
            "64 levels; it is skipped"
        )
    ]


def test_5000_levels_of_nesting(tmp_path):
    path = tmp_path / "f.json"
    deep = '{"arrayValue":{"values":[' * 5000 + "]}}" * 5000
    attribute = f'[{{"key": "deep", "value": {deep}}}]'
    path.write_text(json.dumps(export(span(attributes="HERE"))).replace('"HERE"', attribute))

    assert sentences(loaders.load([path]), without=tmp_path) == [
        "f.json: is nested too deeply to be read; flatten it"
    ]


def test_a_span_that_is_its_own_ancestor_is_only_loaded(tmp_path):
    [trace] = load(
        tmp_path,
        export(
            span(1, parentSpanId=f"{2:016x}"),
            span(2, parentSpanId=f"{1:016x}"),
            span(3, parentSpanId=f"{3:016x}"),
        ),
    ).traces

    assert [span.parent_id[-1] for span in trace.spans] == ["2", "1", "3"]


def test_plain_values_of_every_kind(tmp_path):
    values = {
        "text": "a",
        "yes": True,
        "half": 0.5,
        "big": 10**30,
        "none": None,
        "list": [1, {"k": "v"}],
        "a": {"b": {"c": 1}, "empty": {}},
    }

    [trace] = load(tmp_path, export(span(attributes=values))).traces

    assert trace.spans[0].attributes == {
        "text": "a",
        "yes": True,
        "half": 0.5,
        "big": str(10**30),
        "none": None,
        "list": [1, {"k": "v"}],
        "a.b.c": 1,
        "a.empty": None,
    }


def test_status_codes_of_every_spelling(tmp_path):
    codes = (2, "2", "ERROR", "STATUS_CODE_ERROR", 1, "STATUS_CODE_OK", 0, None)
    spans = [span(n, status={"code": code}) for n, code in enumerate(codes, start=1)]

    [trace] = load(tmp_path, export(*spans)).traces

    assert [span.failed for span in trace.spans] == [True] * 4 + [False] * 4


def test_spans_share_their_resource(tmp_path):
    attributes = [{"key": "service.name", "value": {"stringValue": "dice"}}]
    document = export(span(1), span(2))
    document["resourceSpans"][0]["resource"] = {"attributes": attributes}

    [trace] = load(tmp_path, document).traces

    assert trace.spans[0].resource is trace.spans[1].resource


def test_an_array_over_several_lines_is_one_document(tmp_path):
    path = tmp_path / "f.json"
    path.write_text(f"[\n{json.dumps(span(1))}\n]\n")

    assert names(loaders.load([path])) == [["span 1"]]


def test_log_records_without_an_export_are_no_spans(tmp_path):
    ids = {"traceId": TRACE, "spanId": "2" * 16}
    log = {"observedTimeUnixNano": 5, "body": {"a": 1}, "attributes": {"event.name": "b"}, **ids}

    [trace] = load(tmp_path, log, span(2) | ids).traces

    assert [each.name for each in trace.spans] == [span(2)["name"]]
    assert [(each.name, each.body, each.span_id) for each in trace.logs] == [
        ("b", {"a": 1}, "2" * 16)
    ]
