"""Traces as stores return them: what each of their pages lacks is said with its place."""

import json

from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.support import DATA
from tests.traces.loaders.files import sentences, write

SAMPLES = [
    "langfuse/observations",
    "langfuse/trace",
    "otlp-json/mlflow_trace",
    "otlp-json/phoenix_page",
    "phoenix-spans/page",
]


def read(sample):
    path = DATA / "traces" / sample / "trace.json"
    [found] = converse(loaders.load([path]).traces, group_by="conversation")
    return found


def test_a_trace_reads_the_same_from_every_store():
    for sample in SAMPLES:
        [turn] = read(sample).turns
        [call] = turn.tool_calls
        said = turn.user, call.name, call.args, call.response, turn.response

        assert said == (
            "Where is order 7?",
            "find_order",
            {"order_id": 7},
            {"order_id": 7, "status": "shipped"},
            "Order 7 has been shipped.",
        ), sample
        assert not turn.gaps, sample


def test_a_store_names_the_conversation_beside_the_spans():
    named = [
        read(sample).conversation_id for sample in ("langfuse/trace", "otlp-json/mlflow_trace")
    ]

    assert named == ["session-1", "s-1"]


def test_a_list_of_traces_of_langfuse_does_not_hold_their_observations(tmp_path):
    trace = {"id": "t1", "timestamp": "2026-11-19T00:00:00Z", "observations": ["o1", "o2"]}
    path = write(tmp_path / "f.json", {"data": [trace], "meta": {"page": 1}})

    [sentence] = sentences(loaders.load([path]), without=tmp_path)
    assert sentence == (
        "f.json: the trace 't1' has only the ids of its observations; get it alone, from "
        "/api/public/traces/ID"
    )


def test_what_lacks_a_part_costs_only_itself(tmp_path):
    sample = json.loads((DATA / "traces/langfuse/observations/trace.json").read_text())
    lost = sample["data"][2]
    del lost["type"]
    langfuse = loaders.load([write(tmp_path / "f.json", sample)])
    sample = json.loads((DATA / "traces/phoenix-spans/page/trace.json").read_text())
    del sample["data"][1]["context"]["span_id"]
    phoenix = loaders.load([write(tmp_path / "g.json", sample)])

    assert len(langfuse.traces[0].spans) == 7 - 1
    assert len(phoenix.traces[0].spans) == len(sample["data"]) - 1
    lacking = [*sentences(langfuse, without=tmp_path), *sentences(phoenix, without=tmp_path)]
    assert [sentence.partition(" without ")[0] for sentence in lacking] == [
        f"f.json: the observation {lost['id']!r}: has an observation",
        "g.json: [1]: has the context of a span",
    ]


def test_attributes_of_phoenix_may_be_nested(tmp_path):
    sample = json.loads((DATA / "traces/phoenix-spans/page/trace.json").read_text())
    span = sample["data"][0]
    span["attributes"] = {"llm": {"input_messages": [{"message": {"role": "user"}}]}, "n": None}

    [trace] = loaders.load([write(tmp_path / "f.json", [span])]).traces

    assert trace.spans[0].attributes == {
        "openinference.span.kind": span["span_kind"],
        "llm.input_messages.0.message.role": "user",
    }
