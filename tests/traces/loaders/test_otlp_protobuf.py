import json

import pytest
from google.protobuf.internal.encoder import _VarintBytes
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from agentevals.traces import loaders
from tests.support import DATA
from tests.traces.loaders.files import TRACE, export, names, sentences, span, write


def with_ids_in_base64(document):
    """Protobuf's own JSON writes bytes in base64, and OpenTelemetry's in hexadecimal."""
    text = json.dumps(document)
    for old, new in (
        (TRACE, "CvdlGRbNQ92ESOshHIAxnA=="),
        ("00f067aa0ba902b7", "APBnqgupArc="),
        ("b9c7c989f97918e1", "ucfJifl5GOE="),
    ):
        text = text.replace(old, new)
    return json.loads(text)


def encoded(document, kind=TracesData):
    return ParseDict(with_ids_in_base64(document), kind()).SerializeToString()


def load(tmp_path, data):
    path = tmp_path / "f.pb"
    path.write_bytes(data)
    return loaders.load([path])


@pytest.mark.parametrize("case", ["export", "every_kind_of_value", "events_and_status"])
def test_it_means_what_the_json_means(tmp_path, case):
    source = DATA / "traces/otlp-json" / case / "trace.json"
    [expected] = loaders.load([source]).traces

    [trace] = load(tmp_path, encoded(json.loads(source.read_text()))).traces

    assert trace.spans == expected.spans


def test_log_records(tmp_path):
    logs = [{"traceId": TRACE, "body": {"stringValue": "hm"}}]
    document = {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]}

    [trace] = load(tmp_path, encoded(document, LogsData)).traces

    assert trace.logs[0].body == "hm"


def message(number):
    return encoded(export(span(spanId=["APBnqgupArc=", "ucfJifl5GOE="][number])))


@pytest.mark.parametrize("length", [lambda size: size.to_bytes(4), _VarintBytes])
def test_messages_with_their_lengths_before_them(tmp_path, length):
    data = b"".join(length(len(message(n))) + message(n) for n in (0, 1))

    assert names(load(tmp_path, data)) == [["span 1", "span 1"]]


def test_a_file_that_was_cut_off_keeps_what_is_whole(tmp_path):
    data = b"".join(len(message(n)).to_bytes(4) + message(n) for n in (0, 1))

    recordings = load(tmp_path, data[:-3])

    assert names(recordings) == [["span 1"]]
    assert sentences(recordings, without=tmp_path) == [
        "f.pb: ends in the middle of a message; it was cut off, record it again"
    ]


def test_a_message_that_begins_like_json(tmp_path):
    """Its length is 123, which is a curly bracket after what is a line feed."""
    name = next(n for n in range(200) if encoded(export(span(name="x" * n)))[1:2] == b"{")

    recordings = load(tmp_path, encoded(export(span(name="x" * name))))

    assert names(recordings) == [["x" * name]]


def test_forced_upon_json(tmp_path):
    path = write(tmp_path / "f.json", export(span()))

    assert sentences(loaders.load([path], trace_format="otlp-protobuf"), without=tmp_path) == [
        (
            "f.json: is not otlp-protobuf: found an object with the keys 'resourceSpans'; "
            "it looks like otlp-json, which is found without --format"
        )
    ]
