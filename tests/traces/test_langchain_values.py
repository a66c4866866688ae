import pytest

from agentevals.traces import langchain_values
from agentevals.traces.attribute_values import parse_json
from agentevals.traces.conventions import Kind, Reading


def answered(result):
    reading = Reading(span=None, kind=Kind.TOOL)
    reading.result = result
    langchain_values.read_answer(reading)
    return reading.result, reading.call_id, reading.error


MESSAGE = {"type": "tool", "content": "sunny", "tool_call_id": "c1"}


@pytest.mark.parametrize(
    "result",
    [
        MESSAGE,
        {"output": MESSAGE},
        {"lc": 1, "type": "constructor", "id": ["ToolMessage"], "kwargs": MESSAGE},
        {"type": "tool", "data": {"content": "sunny", "tool_call_id": "c1"}},
        "content='sunny' name='weather' tool_call_id='c1'",
        "content=\"sunny\" name='weather' id='m1' tool_call_id='c1'",
    ],
)
def test_the_answer_is_found_in_the_message_made_of_it(result):
    assert answered(result) == ("sunny", "c1", "")


def test_a_message_of_a_failed_call_says_so():
    assert answered({**MESSAGE, "status": "error"}) == ("sunny", "c1", "sunny")
    assert answered("content='x' tool_call_id='c1' status='error'") == ("x", "c1", "x")


@pytest.mark.parametrize(
    "result", ["sunny", 4, {"sky": "clear"}, {"type": "tool"}, "content=", "content='x'", None]
)
def test_any_other_answer_stays_what_it_is(result):
    assert answered(result) == (parse_json(result), "", "") or answered(result)[0] == result


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ({"inputs": {"a": 1}, "tags": []}, {"a": 1}),
        ({"input_str": "{'a': 1}", "tags": []}, {"a": 1}),
        ({"input_str": "Oslo", "tags": []}, "Oslo"),
        ({"inputs": {"a": 1}}, {"inputs": {"a": 1}}),
        ("{'a': 1}", "{'a': 1}"),
    ],
)
def test_arguments_are_taken_out_of_the_note_of_a_callback(value, given):
    assert langchain_values.read_input(value) == given


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ({"output": "x", "kwargs": {}}, "x"),
        ({"outputs": ["x"], "kwargs": {}}, ["x"]),
        ({"kwargs": {}}, {"kwargs": {}}),
        ({"output": "x"}, {"output": "x"}),
    ],
)
def test_the_outcome_is_taken_out_of_the_note_of_a_callback(value, outcome):
    assert langchain_values.read_output(value) == outcome


@pytest.mark.parametrize("text", ["{'a': " * 5000, "{__import__('os')}", "{'a': \\ud800}", "{"])
def test_what_is_no_printed_object_stays_text(text):
    assert langchain_values.parse_literal(text) == text
