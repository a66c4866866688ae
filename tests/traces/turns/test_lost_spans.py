"""Turns without all of their spans, and spans that tell of one request or call twice."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, Trace, Turn
from agentevals.traces.turns import converse


def span(at: int, parent: int, operation: str, **more: Any) -> Span:
    attributes = {f"gen_ai.{key.replace('__', '.')}": value for key, value in more.items()}
    return Span(
        span_id=f"{at:02}",
        parent_id=f"{parent:02}" if parent else "",
        name=operation,
        start_ns=at * 100,
        end_ns=at * 100 + 50,
        attributes={"gen_ai.operation.name": operation, **attributes},
    )


def write(role: str, *parts: dict[str, Any]) -> str:
    return json.dumps([{"role": role, "parts": list(parts)}])


def text(said: str) -> dict[str, str]:
    return {"type": "text", "content": said}


def call(number: int) -> dict[str, Any]:
    return {"type": "tool_call", "id": f"c{number}", "name": "find", "arguments": {"n": number}}


def tool(at: int, parent: int, number: int, **more: Any) -> Span:
    given = json.dumps({"n": number})
    told = {"tool__call__arguments": given, "tool__call__result": f"no. {number}"}
    return span(at, parent, "execute_tool", tool__name="find", **told, **more)


def read(*spans: Span) -> list[Turn]:
    [conversation] = converse([Trace(trace_id="t", spans=spans)])
    return list(conversation.turns)


ASKED = {"input__messages": write("user", text("Which?"))}
CLEAR = {"output__messages": write("assistant", text("The second."))}


def test_a_call_without_its_span_does_not_take_that_of_another_call():
    asking = span(2, 1, "chat", **ASKED, output__messages=write("assistant", call(1), call(2)))
    [turn] = read(
        span(1, 0, "invoke_agent", **ASKED, **CLEAR),
        asking,
        tool(3, 1, 2),
        span(4, 1, "chat", **CLEAR),
    )

    assert [(made.args, made.response) for made in turn.tool_calls] == [
        ({"n": 1}, None),
        ({"n": 2}, "no. 2"),
    ]


def test_a_request_that_the_client_has_made_again_is_the_one_around_both():
    outer = replace(span(2, 1, "chat", **ASKED, **CLEAR), end_ns=600)
    failed = replace(span(3, 2, "chat", request__model="m"), failed=True)
    made = span(4, 2, "chat", request__model="m", usage__input_tokens=5, usage__output_tokens=2)

    [turn] = read(outer, failed, made)

    assert (turn.user, turn.response, turn.gaps) == ("Which?", "The second.", ())
    requests = {(each.failed, each.input_tokens) for each in turn.model_calls}
    assert (requests, len(turn.model_calls)) == ({(True, None), (False, 5)}, 2)


def test_a_question_without_a_text_is_not_the_one_before_it():
    picture = {"role": "user", "parts": [{"type": "blob", "mime_type": "image/png"}]}
    before = [
        {"role": "user", "parts": [text("Hi!")]},
        {"role": "assistant", "parts": [text("Hi.")]},
    ]

    [turn] = read(span(1, 0, "chat", input__messages=json.dumps([*before, picture]), **CLEAR))

    gap = turn.find_gap(Fact.QUESTION)
    assert gap is not None
    assert (turn.user, gap.evidence) == ("", "the last message of the user holds no text")


@pytest.mark.parametrize(
    ("said", "unknown"), [("Hi, I am here to help.", set()), ("", {"question"})]
)
def test_messages_that_begin_with_words_that_are_missing_may_begin_with_a_question(said, unknown):
    begun = json.dumps([{"role": "assistant", "parts": [text(said)] if said else []}])

    [turn] = read(span(1, 0, "chat", input__messages=begun, **CLEAR))

    assert {gap.fact.value for gap in turn.gaps} == unknown


@pytest.mark.parametrize(
    ("question", "answer", "unknown"),
    [
        ("\nCurrent Task: Which?\n\nThis is the expected criteria", "The second.", {"question"}),
        ("New task:\nWhich?", "The second.", {"question"}),
        ("[[ ## question ## ]]\nWhich?", "[[ ## answer ## ]]\nB", {"question", "answer"}),
        ("Which?", "Thought: I know.\nFinal Answer: B", {"answer"}),
        ("Which?", "I look.\nAction: find\nAction Input: {}", {"answer", "tool_calls"}),
        ("Which?", "Six times seven.\nFinal Answer: 42", set()),
        ("What is the current task: this?", "Action: none.", set()),
    ],
)
def test_words_of_a_framework_are_nobodys_where_only_the_client_was_recorded(
    question, answer, unknown
):
    [turn] = read(
        span(
            1,
            0,
            "chat",
            input__messages=write("user", text(question)),
            output__messages=write("assistant", text(answer)),
        )
    )

    assert {gap.fact.value for gap in turn.gaps} == unknown


def test_a_server_tells_of_a_call_again_where_the_span_between_was_lost():
    agent = replace(span(1, 0, "invoke_agent", **ASKED, **CLEAR), end_ns=900)
    made = replace(tool(2, 1, 1), end_ns=500)
    served = replace(
        tool(3, 77, 1),
        attributes={
            "mcp.method.name": "tools/call",
            "gen_ai.tool.name": "find",
            "gen_ai.operation.name": "execute_tool",
        },
    )

    [turn] = read(agent, made, served)

    assert [each.name for each in turn.tool_calls] == ["find"]
