import pytest

from agentevals.traces.messages import (
    ASSISTANT,
    USER,
    Answer,
    ToolRequest,
    find_text,
    parse_messages,
)

CALL = ToolRequest("f", {"x": 1}, "1")


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


@pytest.mark.parametrize("call", [{}, {"name": ""}, {"name": 5}, {"function": {"arguments": "{}"}}])
def test_a_call_without_a_name_is_none(call):
    [message] = parse_messages([{"tool_calls": [call]}], ASSISTANT)

    assert message.asked == []


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ("Hi", ["Hi"]),
        ({"question": "Hi", "k": 3}, ["Hi"]),
        ({"messages": [{"type": "human", "content": "Hi"}]}, ["Hi"]),
        ({"k": "data"}, []),
        ([1, 2], []),
        (None, []),
    ],
)
def test_what_a_function_took_is_a_message_only_where_that_is_plain(value, texts):
    assert [message.text for message in find_text(value, USER)] == texts
