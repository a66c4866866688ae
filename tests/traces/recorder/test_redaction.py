"""Tokens in OTLP documents: hidden wherever an agent may have said them, but not in ids."""

import json

import pytest

from agentevals.text.redaction import TokenMarker
from agentevals.traces.recorder.redaction import redact_document

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
