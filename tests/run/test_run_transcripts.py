"""What a page knows of a case: complete, in order, small, and without secrets."""

import json
import zlib

import msgspec

from agentevals.model.completeness import Fact, Gap, Presence
from agentevals.model.conversations import ModelCall, Span, ToolCall
from agentevals.model.policy import Policy
from agentevals.model.transcripts import KeptCase, drop_transcript
from agentevals.run.engine import make_report
from agentevals.run.run_transcripts import add_transcript, pack_transcript
from agentevals.text.redaction import Redactor, redact_texts
from tests.support import conversation, paired, turn

MOST = 256 * 1024
SECRET = "hunter2hunter2"


def keep(case, redact=None):
    report = add_transcript(make_report(case, (), Policy()), case)
    return pack_transcript(redact_texts(report, redact) if redact else report)


def read(case, redact=None):
    kept = keep(case, redact)
    assert isinstance(kept, KeptCase)
    assert isinstance(kept.transcript, bytes)
    return json.loads(zlib.decompress(kept.transcript))


def span(name, parent="", start=0, end=10, **more):
    times = {"start_ns": start * 1_000_000, "end_ns": end * 1_000_000}
    return Span(span_id=name, name=name, parent_id=parent, **times, **more)


def recorded(*spans):
    case = paired([turn()], None)
    return msgspec.structs.replace(case, conversation=conversation(turn(), spans=spans))


def test_a_turn_has_its_words_calls_and_tokens_beside_what_is_expected():
    call = ToolCall(name="find", args={"city": "Rome"}, response=["sun"], answered=True)
    model = ModelCall(input_tokens=12, output_tokens=3)
    said = turn("Sunny.", "Weather?", tool_calls=(call,), model_calls=(model,))
    found = read(paired([said], [turn("It is sunny.", "Weather?")]))

    (shown,) = found["turns"]
    assert (shown["user"], shown["answer"], shown["tokens"]) == ("Weather?", "Sunny.", [12, 3])
    assert shown["calls"] == [{"name": "find", "args": '{"city":"Rome"}', "response": '["sun"]'}]
    assert found["expected"][0]["answer"] == "It is sunny."


def test_what_is_not_known_is_not_empty():
    gap = Gap(fact=Fact.ARGUMENTS, presence=Presence.UNKNOWN, evidence="e")
    found = read(paired([turn(None, tool_calls=(ToolCall(name="find"),), gaps=(gap,))], None))

    assert "answer" not in found["turns"][0]
    assert found["turns"][0]["calls"] == [{"name": "find"}]
    assert "expected" not in found


def test_spans_stand_below_their_parents_in_the_order_of_time():
    spans = (span("tool", "agent", 5, 8), span("agent", start=1), span("model", "agent", 2, 4))
    found = read(recorded(*spans))["spans"]

    assert [(one["name"], one.get("depth", 0)) for one in found] == [
        *(("agent", 0), ("model", 1), ("tool", 1)),
    ]
    assert (found[2]["start_ms"], found[2]["milliseconds"]) == (4.0, 3.0)


def test_spans_without_a_parent_are_roots_and_those_in_a_circle_are_shown():
    circle = (span("a", "b"), span("b", "a"), span("own", "own"), span("orphan", "gone"))

    assert {one["name"] for one in read(recorded(*circle))["spans"]} == {
        *("a", "b", "own", "orphan"),
    }


def test_secrets_are_hidden_wherever_they_stand():
    call = ToolCall(name="find", args={"key": SECRET}, response={"deep": [SECRET]}, answered=True)
    said = turn(f"It is {SECRET}.", f"My key is {SECRET}.", tool_calls=(call,))
    kept = keep(paired([said], [turn(SECRET)]), Redactor([SECRET]))

    assert SECRET.encode() not in zlib.decompress(kept.transcript)
    assert b"***" in zlib.decompress(kept.transcript)


def test_a_case_of_any_size_stays_small_and_says_what_is_cut():
    call = ToolCall(name="find", args={"text": "x" * 10_000}, response="y" * 10_000)
    turns = [turn("z" * 100_000, tool_calls=(call,) * 300) for _ in range(120)]
    found = read(paired(turns, turns))

    assert len(json.dumps(found)) < MOST
    assert "20 more turns in the recording" in found["left_out"]
    assert "only the first 200 calls of a turn are shown" in found["left_out"]


def test_deep_and_odd_values_are_written_as_far_as_json_goes():
    deep = []
    for _ in range(5_000):
        deep = [deep]
    found = read(paired([turn(tool_calls=(ToolCall(name="find", response=deep),))], None))

    assert "nested too deeply" in found["turns"][0]["calls"][0]["response"]


def test_a_report_keeps_no_transcript():
    case = paired([turn()], None)

    assert drop_transcript(keep(case)) == make_report(case, (), Policy())
