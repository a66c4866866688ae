import json

import pytest

from agentevals.traces.chat_messages import (
    ASSISTANT,
    USER,
    Answer,
    ToolRequest,
    parse_message,
    parse_messages,
)

CALL = ToolRequest("f", {"x": 1}, "1")
BOTH = [{"type": "text", "text": "4 "}, {"type": "text", "text": "euros"}]


@pytest.mark.parametrize(
    "raw",
    [
        "Hi",
        '"Hi"',
        '{"role": "user", "content": "Hi"}',
        [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}],
        [{"role": "human", "content": [{"type": "input_text", "text": "Hi"}]}],
        [{"type": "human", "content": "Hi"}],
        [[{"type": "human", "content": "Hi"}]],
        [{"lc": 1, "kwargs": {"type": "human", "content": "Hi"}}],
        ['{"role": "user", "content": "Hi"}'],
        ["Hi"],
        {"messages": [{"content": "Hi"}]},
        [{"role": "user", "parts": ["Hi"]}],
        [{"role": "user", "content": {"type": "text", "text": "Hi"}}],
        [{"type": "text", "text": "Hi"}],
        [None, {"role": "user", "content": "Hi"}],
    ],
)
def test_a_text_of_the_user_is_read_in_every_spelling(raw):
    [message] = parse_messages(raw, USER)

    assert (message.role, message.text) == (USER, "Hi")


@pytest.mark.parametrize(
    "item",
    [
        {"parts": [{"type": "tool_call", "id": "1", "name": "f", "arguments": {"x": 1}}]},
        {"parts": [{"function_call": {"id": "1", "name": "f", "args": {"x": 1}}}]},
        {"parts": [{"functionCall": {"id": "1", "name": "f", "args": {"x": 1}}}]},
        {"content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"x": 1}}]},
        {"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": '{"x": 1}'}}]},
        {"tool_calls": [{"id": "1", "name": "f", "args": {"x": 1}}]},
        {"tool_calls": '[{"id": "1", "name": "f", "args": {"x": 1}}]'},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"x": 1}'},
    ],
)
def test_a_call_is_read_in_every_spelling(item):
    [message] = parse_messages([item], ASSISTANT)

    assert (message.role, message.asked) == (ASSISTANT, [CALL])


@pytest.mark.parametrize(
    "item",
    [
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "r"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r"}]},
        {"role": "tool", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "r"}]},
        {"role": "user", "parts": [{"function_response": {"id": "1", "response": "r"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "r"},
        {"role": "user", "tool_call_id": "1", "content": "r"},
        {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "r"}]},
        {"type": "function_call_output", "call_id": "1", "output": "r"},
    ],
)
def test_an_answer_of_a_tool_is_read_in_every_spelling(item):
    [message] = parse_messages([item], USER)

    assert message.answers == [Answer("r", "1")]


@pytest.mark.parametrize(
    "part", [{"type": "reasoning", "content": "hm"}, {"thought": True, "text": "hm"}]
)
def test_what_a_model_thinks_is_not_what_it_says(part):
    [message] = parse_messages([{"parts": [part]}], ASSISTANT)

    assert message.text == ""


@pytest.mark.parametrize(
    ("given", "args"),
    [
        ({"arguments": None}, {}),
        ({"arguments": "null"}, {}),
        ({"arguments": ""}, {}),
        ({}, None),
    ],
    ids=["null", "null as JSON", "an empty text", "nothing"],
)
@pytest.mark.parametrize("wrap", [lambda call: call, lambda call: {"function": call}])
def test_arguments_that_were_recorded_as_null_are_none_at_all(given, args, wrap):
    [message] = parse_messages([{"tool_calls": [wrap({"name": "f", **given})]}], ASSISTANT)

    assert [call.args for call in message.asked] == [args]


@pytest.mark.parametrize("call", [{}, {"name": ""}, {"name": 5}, {"function": {"arguments": "{}"}}])
def test_a_call_without_a_name_is_none(call):
    [message] = parse_messages([{"tool_calls": [call]}], ASSISTANT)

    assert message.asked == []


@pytest.mark.parametrize(
    "block",
    [
        {"type": "tool_use", "id": "1", "name": "f", "input": {"x": 1}},
        {"type": "function_call", "id": "fc_1", "call_id": "1", "name": "f"},
        {"type": "thinking", "thinking": "I need f.", "signature": "s"},
    ],
)
def test_a_block_of_content_that_was_written_as_a_text_is_no_text(block):
    parts = [
        {"type": "text", "content": json.dumps(block)},
        {"type": "tool_call", "id": "1", "name": "f", "arguments": {"x": 1}},
    ]
    [message] = parse_messages([{"role": "assistant", "parts": parts}], ASSISTANT)

    assert (message.text, message.asked) == ("", [CALL])


def test_the_json_of_a_call_that_the_model_has_not_made_is_what_it_has_said():
    text = json.dumps({"type": "tool_use", "id": "2", "name": "f", "input": {}})
    parts = [{"type": "text", "content": text}, {"type": "tool_call", "id": "1", "name": "f"}]
    [message] = parse_messages([{"role": "assistant", "parts": parts}], ASSISTANT)

    assert message.text == text


@pytest.mark.parametrize(
    "item",
    [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": BOTH}]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps(BOTH)},
    ],
)
def test_an_answer_in_parts_is_their_text(item):
    [message] = parse_messages([item], USER)

    assert message.answers == [Answer("4 euros", "1")]


def test_an_answer_with_a_part_that_is_no_text_stays_as_it_is():
    parts = [*BOTH, {"type": "image", "source": {"data": ""}}]
    item = {"role": "user", "content": [{"type": "tool_result", "content": parts}]}
    [message] = parse_messages([item], USER)

    assert message.answers == [Answer(parts)]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "web_search_call", "id": "ws", "action": {"query": "rye"}},
        {
            "type": "server_tool_call",
            "name": "web_search",
            "id": "ws",
            "server_tool_call": {"action": {"query": "rye"}, "status": "completed"},
        },
    ],
)
def test_a_call_that_the_provider_has_run_is_told_by_its_type(part):
    message = parse_message({"role": "assistant", "parts": [part]}, "assistant")

    assert message.asked == [ToolRequest("web_search", {"query": "rye"}, "ws", is_hosted=True)]


def test_a_call_of_the_api_that_the_agent_has_to_run_is_open():
    part = {"type": "computer_call", "call_id": "c", "action": {"type": "click"}}

    [asked] = parse_message({"role": "assistant", "parts": [part]}, "assistant").asked
    assert (asked.name, asked.is_hosted) == ("computer", False)


@pytest.mark.parametrize(
    "given",
    [
        {"type": "web_search", "query": "rye"},  # what Anthropic's instrumentation writes
        {"type": "web_search_call", "status": "completed", "action": {"query": "rye"}},
        {"type": "mcp_tool_use", "server_name": "s", "arguments": {"query": "rye"}},
    ],
)
def test_a_call_that_the_provider_has_run_has_the_arguments_alone(given):
    part = {"type": "server_tool_call", "name": "web_search", "id": "s1", "server_tool_call": given}

    [message] = parse_messages([{"role": "assistant", "parts": [part]}], ASSISTANT)

    assert [call.args for call in message.asked] == [{"query": "rye"}]


@pytest.mark.parametrize("text", ["REDACTED", "[REDACTED]"])
def test_an_answer_that_was_redacted_is_no_answer(text):
    (message,) = parse_messages([{"role": "assistant", "content": text}], "assistant")

    assert (message.text, message.is_withheld) == ("", True)
