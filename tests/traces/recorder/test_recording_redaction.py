"""Secrets in recordings: hidden wherever an agent may have said them; tokens not in ids."""

import json

import pytest

from agentevals.text.redaction import Redactor, TokenMarker
from agentevals.traces.recorder.recording_redaction import redact_document, redact_recording

TOKEN = "AKIA" + "ABCDEFGH12345678"


def text(value):
    return {"stringValue": value}


def attribute(key, value):
    return {"key": key, "value": value}


def redact(document):
    return redact_document(document, TokenMarker())


@pytest.mark.parametrize(
    "attribute",
    [
        attribute("gen_ai.output.messages", text(json.dumps([{"content": f"It is {TOKEN}."}]))),
        attribute("input", {"arrayValue": {"values": [text(TOKEN), {"intValue": "7"}]}}),
        attribute("args", {"kvlistValue": {"values": [attribute("key", text(TOKEN))]}}),
        attribute("aws_secret_access_key", text("a1B2" * 10)),
        attribute("aws_access_key_id", text(TOKEN)),
        attribute("user.id.note", text(TOKEN)),
    ],
)
def test_a_token_is_hidden_in_every_kind_of_value(attribute):
    shown = json.dumps(redact({"spans": [{"attributes": [attribute]}]}))

    assert "***" in shown
    assert TOKEN not in shown
    assert "a1B2" not in shown


@pytest.mark.parametrize(
    "kept",
    [
        {"traceId": TOKEN, "spanId": TOKEN, "parentSpanId": TOKEN, "name": TOKEN},
        *(
            {"attributes": [attribute(key, text(TOKEN))]}
            for key in (
                *("gen_ai.conversation.id", "session.id", "agentevals.eval.case.id", "thread_id"),
                *("ai.telemetry.metadata.sessionId", "gen_ai.request.model", "gen_ai.tool.name"),
            )
        ),
        {"startTimeUnixNano": "1772359200000000000", "kind": 3, "links": [], "status": None},
    ],
)
def test_ids_names_and_numbers_stay(kept):
    assert redact(kept) == kept


def test_a_message_of_a_log_record_is_hidden_as_well():
    assert TOKEN not in json.dumps(redact({"logRecords": [{"body": text(f"said {TOKEN}")}]}))


SECRET = "quite-a-secret"


def test_a_known_secret_is_hidden_in_names_ids_and_keys_which_stay_different():
    spans = [{"name": SECRET}, {"name": f"{SECRET} b"}, {"traceId": SECRET}, {SECRET: 1}]
    hidden = [redact_document(span, Redactor([SECRET])) for span in spans]

    assert SECRET not in json.dumps(hidden)
    assert hidden[0] != hidden[1]


@pytest.mark.parametrize(
    "content",
    [b'{"a": 1}', b'{ "a" : 1.50 }\n\n{"b": "\\u0061"}\n', b'[{"a": 1}, {"b": 2}]'],
)
def test_a_file_without_secrets_stays_as_it_is(content):
    assert redact_recording(content, Redactor([SECRET])) == content


def test_each_document_of_a_file_is_redacted():
    content = f'{{"a": "{SECRET}"}}\n{{"b": "no \\u0071uite-a-secret"}}\n'.encode()

    assert redact_recording(content, Redactor([SECRET])) == b'{"a":"***"}\n{"b":"no ***"}\n'


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"text", b'{"a": 1', b'{"a": 1, "a": 2}', b'{"a": 123456}', b'{"a": NaN}'],
    ids=["bytes", "text", "cut off", "twins", "a secret that is a number", "not a number"],
)
def test_a_file_that_cannot_be_redacted_is_refused(content):
    with pytest.raises(ValueError):  # noqa: PT011 -- of several kinds
        redact_recording(content, Redactor(["123456"]))
