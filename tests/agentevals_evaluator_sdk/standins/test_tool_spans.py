import time

import pytest

from agentevals_evaluator_sdk.standins.uipath.standin_spans import ReadableSpan, SpanContext
from agentevals_evaluator_sdk.standins.uipath.standin_tool_spans import (
    extract_tool_calls,
    extract_tool_calls_names,
    extract_tool_calls_outputs,
    trace_to_str,
)

SECOND = 1_000_000_000


def span(number=1, **attributes):
    dotted = {name.replace("_", ".", 1): value for name, value in attributes.items()}
    return ReadableSpan(
        name="whatever",
        context=SpanContext(1, number),
        attributes=dotted,
        start_time=number * SECOND,
        end_time=(number + 1) * SECOND,
    )


@pytest.mark.parametrize(
    ("written", "args"),
    [
        ('{"a": true}', {"a": True}),
        ("{'a': True, 'b': None}", {"a": True, "b": None}),
        ({"a": 1}, {"a": 1}),
        ("[1]", {}),
        ("neither", {}),
        ("(" * 5000, {}),
        (7, {}),
    ],
)
def test_arguments_are_read_as_json_then_as_python(written, args):
    (call,) = extract_tool_calls([span(tool_name="T", input_value=written)])

    assert (call.name, call.args) == ("T", args)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('{"content": "stored"}', "stored"),
        ('{"other": 1}', ""),
        ('{"content": {"k": 1}}', "{'k': 1}"),
        ('{"content": 0}', ""),
        ("[1, 2]", "[1, 2]"),
        ("12", "12"),
        ("plain", "plain"),
        ({"content": "x"}, "x"),
        (5, "5"),
        ("", ""),
    ],
)
def test_an_output_is_the_content_of_an_object_or_the_text(written, text):
    (output,) = extract_tool_calls_outputs([span(tool_name="T", output_value=written)])

    assert output.output == text


@pytest.mark.parametrize(("given", "expected"), [("c1", "c1"), (0, "0"), ("", ""), (None, None)])
def test_an_id_is_a_text(given, expected):
    assert extract_tool_calls([span(tool_name="T", tool_id=given)])[0].id == expected


def test_only_spans_that_say_a_tool_and_were_not_made_up_count():
    spans = [
        span(tool_name="B"),
        span(gen_ai="execute_tool"),
        span(tool_name=""),
        span(tool_name="S", tool_synthesized=True),
        ReadableSpan(name="bare"),
        span(tool_name="A"),
    ]

    assert extract_tool_calls_names(spans) == ["B", "A"]
    assert len(extract_tool_calls_outputs(spans)) == 2


def test_arguments_may_be_left_out():
    (call,) = extract_tool_calls([span(tool_name="T", input_value="{}")], include_args=False)

    assert call.args == {}


def test_a_trace_reads_as_a_log(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    one = span(1, tool_name="T", input_value='{"a": 1}', output_value=" out ")

    assert trace_to_str([one, one, span(2)]) == (
        "[1970-01-01 00:00:01] LLM Response:\n  Agent Selected 1 Tool(s):\n\n  Tool: T\n"
        '  Arguments: {"a": 1}\n\n[1970-01-01 00:00:02] Tool Call Response - T:\nout\n'
    )
