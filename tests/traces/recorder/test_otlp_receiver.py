import gzip
import json
import socket
import zlib
from base64 import b64encode
from http.client import HTTPConnection

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from agentevals.traces.recorder.otlp_receiver import LARGEST, Receiver
from agentevals.traces.recorder.recording_storage import Storage

TRACE, OTHER = "0af7651916cd43dd8448eb211c80319c", "1af7651916cd43dd8448eb211c80319d"
SPAN = "b7ad6b7169203331"
PROTOBUF, JSON = "application/x-protobuf", "application/json"


def document(*trace_ids, **span):
    spans = [{"traceId": each, "spanId": SPAN, "name": "chat"} | span for each in trace_ids]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": spans}]}]}


def protobuf(*trace_ids):
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for each in trace_ids:
        span = scope.spans.add(name="chat", trace_id=bytes.fromhex(each))
        span.span_id = bytes.fromhex(SPAN)
        span.links.add(trace_id=bytes.fromhex(OTHER), span_id=bytes.fromhex(SPAN))
    return request.SerializeToString()


class Recording:
    """A receiver that listens, and what it has written once it does not."""

    def __init__(self, folder):
        self._folder = folder

    def __enter__(self):
        self._storage = Storage(self._folder).__enter__()
        self.counts = self._storage.counts
        self.receiver = Receiver(self._storage).__enter__()
        self.address = self.receiver.endpoint.removeprefix("http://").split(":")
        return self

    def __exit__(self, *error):
        self.receiver.__exit__(*error)
        self.files = self._storage.finish()
        self._storage.__exit__(*error)

    def post(self, path, body, media_type=JSON, **headers):
        connection = HTTPConnection(*self.address, timeout=10)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", path, body, {"Content-Type": media_type, **named})
        answer = connection.getresponse()
        try:
            return answer.status, answer.read()
        finally:
            connection.close()

    def lines(self):
        return {
            file.stem: [json.loads(line) for line in file.read_text().splitlines()]
            for file in self.files
        }


@pytest.fixture
def recording(tmp_path):
    return Recording(tmp_path / "traces")


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("identity", bytes),
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
    ],
)
@pytest.mark.parametrize(
    ("media_type", "body"),
    [(JSON, json.dumps(document(TRACE)).encode()), (PROTOBUF, protobuf(TRACE))],
)
def test_spans_in_every_encoding(recording, media_type, body, encoding, pack):
    with recording:
        status, answer = recording.post(
            "/v1/traces", pack(body), media_type, Content_Encoding=encoding
        )

    assert (status, answer) == (200, b"{}" if media_type == JSON else b"")
    span = recording.lines()[TRACE][0]["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert (span["traceId"], span["spanId"], span["name"]) == (TRACE, SPAN, "chat")


def test_ids_of_links_are_hexadecimal_too(recording):
    with recording:
        recording.post("/v1/traces", protobuf(TRACE), PROTOBUF)

    span = recording.lines()[TRACE][0]["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert span["links"][0]["traceId"] == OTHER


def test_ids_in_base64_are_understood(recording):
    trace_id = b64encode(bytes.fromhex(TRACE)).decode()
    with recording:
        recording.post("/v1/traces", json.dumps(document(trace_id)))

    assert list(recording.lines()) == [TRACE]


def test_every_trace_gets_its_own_file(recording):
    with recording:
        recording.post("/v1/traces", json.dumps(document(TRACE, OTHER, TRACE)))
        recording.post("/v1/traces", json.dumps(document(OTHER)))

    assert {name: len(lines) for name, lines in recording.lines().items()} == {TRACE: 1, OTHER: 2}
    assert recording.counts.records == 4


def test_log_records_stand_with_the_trace_they_belong_to(recording):
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    records.add(event_name="gen_ai.choice", trace_id=bytes.fromhex(TRACE))
    records.add(event_name="startup")
    with recording:
        recording.post("/v1/traces", json.dumps(document(TRACE)))
        recording.post("/v1/logs", request.SerializeToString(), PROTOBUF)

    assert [list(line) for line in recording.lines()[TRACE]] == [
        ["resourceSpans"],
        ["resourceLogs"],
    ]
    assert recording.counts.without_trace == 1


def test_metrics_are_accepted_and_not_kept(recording):
    with recording:
        status, _ = recording.post("/v1/metrics", b"anything", PROTOBUF)

    assert status == 200
    assert not recording.files


@pytest.mark.parametrize("bad", ["", "../../etc/passwd", "0" * 31, "0" * 32, "G" * 32, 7, None])
def test_a_span_without_a_proper_trace_id_is_rejected_and_names_no_file(recording, bad):
    with recording:
        status, answer = recording.post("/v1/traces", json.dumps(document(bad, TRACE)))

    assert status == 200
    assert json.loads(answer)["partialSuccess"]["rejectedSpans"] == "1"
    assert list(recording.lines()) == [TRACE]


def test_a_rejection_in_protobuf(recording):
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.add(name="lost")
    with recording:
        _, answer = recording.post("/v1/traces", request.SerializeToString(), PROTOBUF)

    response = ExportTraceServiceResponse.FromString(answer)
    assert response.partial_success.rejected_spans == 1


@pytest.mark.parametrize(
    ("sent", "headers", "status"),
    [
        (("/v1/spans", b"{}", JSON), {}, 404),
        (("/v1/traces", b"{}", "text/plain"), {}, 415),
        (("/v1/traces", b"not json", JSON), {}, 400),
        (("/v1/traces", b"[1]", JSON), {}, 400),
        (("/v1/traces", b"\xff\xff", PROTOBUF), {}, 400),
        (("/v1/traces", b"not gzip", JSON), {"Content_Encoding": "gzip"}, 400),
        (("/v1/traces", b"{}", JSON), {"Content_Encoding": "br"}, 400),
        (("/v1/traces", b"[" * 100_000, JSON), {}, 400),
    ],
)
def test_what_is_not_otlp_is_refused(recording, sent, headers, status):
    with recording:
        answered, why = recording.post(*sent, **headers)
        after, _ = recording.post("/v1/traces", json.dumps(document(TRACE)))

    assert answered == status
    assert why
    assert after == 200
    assert (recording.counts.refused, recording.counts.refusal) == (1, why.decode())


@pytest.mark.parametrize("shape", [{"resourceSpans": 7}, {"resourceSpans": [1, {"scopeSpans": 2}]}])
def test_odd_shapes_hold_no_spans(recording, shape):
    with recording:
        assert recording.post("/v1/traces", json.dumps(shape))[0] == 200

    assert not recording.files


def test_what_unpacks_to_too_much_is_refused(recording):
    bomb = gzip.compress(b" " * (LARGEST + 1))
    with recording:
        assert recording.post("/v1/traces", bomb, Content_Encoding="gzip")[0] == 413


def test_what_claims_to_be_too_much_is_not_even_read(recording):
    with recording, socket.create_connection(recording.address, timeout=10) as sender:
        sender.sendall(b"POST /v1/traces HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")

        assert sender.recv(100).startswith(b"HTTP/1.1 413")


def test_a_body_in_chunks(recording):
    body = json.dumps(document(TRACE)).encode()
    parts = (body[:50], body[50:])
    with recording:
        connection = HTTPConnection(*recording.address, timeout=10)
        headers = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}
        connection.request("POST", "/v1/traces", iter(parts), headers, encode_chunked=True)
        answer = connection.getresponse()
        answer.read()
        connection.close()

    assert answer.status == 200
    assert list(recording.lines()) == [TRACE]


@pytest.mark.parametrize("size", [b"-5", b"zz", b"FFFFFFFFF"])
def test_a_chunk_with_an_odd_size_is_refused(recording, size):
    with recording, socket.create_connection(recording.address, timeout=10) as sender:
        sender.sendall(b"POST /v1/traces HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + size)
        sender.sendall(b"\r\n")

        assert sender.recv(100).startswith(b"HTTP/1.1 400")


def test_text_that_is_no_unicode_does_not_stop_the_recording(recording):
    body = json.dumps(document(TRACE, name="half \ud800"))
    with recording:
        assert recording.post("/v1/traces", body)[0] == 200

    assert "half \ufffd" in json.dumps(recording.lines(), ensure_ascii=False)


def test_a_sender_that_goes_away_does_not_hold_up_the_end(recording):
    with recording:
        sender = socket.create_connection(recording.address, timeout=10)
        sender.sendall(b"POST /v1/traces HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc")
        sender.close()

    assert not recording.files


def test_only_this_machine_can_reach_it(recording):
    with recording:
        assert recording.address[0] == "127.0.0.1"
