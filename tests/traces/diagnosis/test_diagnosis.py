"""Findings of the loaders: those about a file that cannot be read, and those to note.

The tools that a model was offered, in the words of each instrumentation that tells of them.
"""

import json

import pytest

from agentevals.model.conversations import Span, SpanEvent
from agentevals.model.results import Finding, Severity
from agentevals.traces.diagnosis import examine, list_offered
from tests.support import DATA

FORM = {"type": "object", "properties": {"name": {"type": "string"}}}
FUNCTION = {"type": "function", "name": "find", "parameters": FORM}
NESTED = {"type": "function", "function": {"name": "find", "parameters": FORM}}


def finding(severity, rule):
    return Finding(severity=severity, rule=rule, message="said", path="a.json")


@pytest.mark.parametrize(
    ("severity", "rule", "is_about_file"),
    [
        (Severity.ERROR, "unreadable", True),
        (Severity.WARNING, "no-trace", True),
        (Severity.WARNING, "skipped-record", False),
    ],
)
def test_a_finding_is_about_a_file_or_a_note(severity, rule, is_about_file):
    found = examine([], [finding(severity, rule)])

    assert [file.path for file in found.files] == ["a.json"] * is_about_file
    assert len(found.notes) == (not is_about_file)
    assert found.complete is not is_about_file


def test_problems_of_one_file_stand_together_with_their_lines():
    second = Finding(
        severity=Severity.ERROR, rule="unreadable", message="more", path="a.json", line=3
    )

    [file] = examine([], [finding(Severity.ERROR, "unreadable"), second]).files

    assert file.problems == ("said", "line 3: more")


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.tool.definitions": [FUNCTION]},
        {"gen_ai.tool.definitions": json.dumps([NESTED])},
        {"gen_ai.tool.definitions": [json.dumps(FUNCTION)]},
        {"gen_ai.tool.definitions": [{"function_declarations": [{"name": "find"}]}]},
        {"gen_ai.agent.tools": '["find"]'},
        {"ai.prompt.tools": [json.dumps(FUNCTION)]},
        {"llm.tools.0.tool.json_schema": json.dumps(NESTED)},
        {"llm.request.functions.0.name": "find", "llm.request.functions.0.parameters": "{}"},
        {"model_request_parameters": json.dumps({"function_tools": [FUNCTION]})},
        {"model_request_parameters": json.dumps({"output_tools": [FUNCTION]})},
    ],
    ids=lambda attributes: next(iter(attributes)),
)
def test_a_tool_has_one_name_however_it_is_spelled(attributes):
    event = SpanEvent(name="details", attributes=attributes)

    assert list_offered([Span(span_id="1", name="", attributes=attributes)]) == ("find",)
    assert list_offered([Span(span_id="1", name="", events=(event,))]) == ("find",)


@pytest.mark.parametrize(
    "value", [None, 7, "", "no JSON", [7, None, {}], {"name": "x"}, ['{"name": "fi']]
)
def test_nothing_is_offered_where_no_list_of_tools_stands(value):
    assert (
        list_offered([Span(span_id="1", name="", attributes={"gen_ai.tool.definitions": value})])
        == ()
    )


def test_every_tool_is_named_once_in_the_order_of_the_first_offer():
    spans = [
        Span(span_id=str(at), name="", attributes={"gen_ai.agent.tools": names})
        for at, names in enumerate([["b", "a"], ["a", "c"]])
    ]

    assert list_offered(spans) == ("b", "a", "c")


def test_a_recording_of_an_agent_shows_what_it_was_offered_and_what_it_called():
    shown = examine([DATA / "shapes/strands-graph.jsonl.gz"]).conversations

    assert [(each.tools_offered, each.tools_called) for each in shown] == [
        (("spell", "grammar"), ("spell", "grammar")),
        (("find",), ("find",)),
    ]
