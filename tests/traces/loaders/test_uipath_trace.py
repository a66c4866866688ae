import pytest

from agentevals.traces import loaders
from agentevals.traces.turns import converse
from tests.traces.loaders.files import names, sentences, write

TRACE = "0x15edb460157fc0b4f6ccbacb72317c48"


def span(number, **fields):
    return {
        "name": f"span {number}",
        "context": {"trace_id": TRACE, "span_id": f"0x{number:016x}"},
        "parent_id": None,
        "start_time": "2026-01-02T10:00:00.000001Z",
        "attributes": {},
        **fields,
    }


def load(tmp_path, *documents):
    return loaders.load([write(tmp_path / "f.jsonl", *documents)])


def test_spans_of_no_item_are_a_trace_of_their_own(tmp_path):
    recordings = load(tmp_path, span(1, parent_id="0x0000000000000002"), span(2))

    [trace] = recordings.traces
    assert (trace.trace_id, trace.case_id) == (TRACE.removeprefix("0x"), "")
    assert [(s.span_id[-1], s.parent_id[-1:]) for s in trace.spans] == [("1", "2"), ("2", "")]
    assert trace.spans[0].start_ns == 1767348000_000001000


def test_an_array_is_read_as_well(tmp_path):
    assert names(load(tmp_path, [span(1), span(2)])) == [["span 1", "span 2"]]


def test_judging_is_not_what_the_agent_did(tmp_path):
    ids = {"attributes": {"execution.id": "a"}}
    judging = span(2, attributes={"execution.id": "a", "span_type": "evaluator"})
    recordings = load(
        tmp_path, span(1, **ids), judging, span(3, parent_id="0x" + "2".zfill(16), **ids)
    )

    assert names(recordings) == [["span 1", "root"]]


def test_spans_in_a_circle_are_left_to_whoever_reads_them(tmp_path):
    first, second = ("0x" + digit.zfill(16) for digit in "12")
    recordings = load(tmp_path, span(1, parent_id=second), span(2, parent_id=first))

    assert names(recordings) == [["span 1", "span 2"]]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"attributes": 5}, "the span.attributes: expected an object"),
        ({"events": [7]}, "the span.events: expected an array of objects"),
        ({"status": "OK"}, "the span.status: expected an object"),
    ],
)
def test_a_malformed_span_costs_only_itself(tmp_path, wrong, why):
    recordings = load(tmp_path, span(1), span(2, **wrong))

    assert names(recordings) == [["span 1"]]
    assert why in sentences(recordings)[0]


@pytest.mark.parametrize("odd", [{"start_time": 5}, {"start_time": "today"}, {"name": None}])
def test_what_is_odd_is_forgiven(tmp_path, odd):
    assert len(names(load(tmp_path, span(1, **odd)))[0]) == 1


def test_an_agent_that_failed_is_told(tmp_path):
    failed = span(
        1,
        attributes={"execution.id": "a", "span_type": "eval"},
        status={"status_code": "ERROR", "description": "KeyError: 8"},
    )
    [conversation] = converse(load(tmp_path, failed).traces)

    assert conversation.warnings == ("the agent failed: KeyError: 8",)
    assert [turn.response for turn in conversation.turns] == [None]


@pytest.mark.parametrize(
    ("returned", "output"),
    [
        ('"yes"', '{"result": "yes"}'),
        ("[1]", '{"result": [1]}'),
        ("null", "{}"),
        ('{"a": 1}', '{"a": 1}'),
        ("no JSON", "no JSON"),
    ],
)
def test_what_a_function_returns_is_put_out_as_uipath_does(tmp_path, returned, output):
    told = {"execution.id": "a", "span_type": "function_call_sync", "output.value": returned}

    [trace] = load(tmp_path, span(1, attributes=told)).traces

    assert trace.spans[-1].attributes["output.value"] == output


def test_a_span_with_the_name_of_a_tool_is_a_call_whatever_made_it(tmp_path):
    told = {"execution.id": "a", "tool.name": "look_up", "tool.id": "7", "input.value": '{"n": 1}'}

    [found] = converse(load(tmp_path, span(1, attributes={**told, "output.value": "sunny"})).traces)

    [call] = found.turns[0].tool_calls
    assert (call.name, call.args, call.response, call.call_id) == (
        "look_up",
        {"n": 1},
        "sunny",
        "7",
    )
    assert found.turns[0].response is None or not found.turns[0].response
