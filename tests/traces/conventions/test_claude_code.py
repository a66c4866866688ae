import pytest
from msgspec.structs import replace

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, SpanEvent, Trace
from agentevals.traces.turns import converse

SCOPE = "com.anthropic.claude_code.tracing"


def span(span_id, kind, start, **attributes):
    return Span(
        span_id=span_id,
        name=f"claude_code.{kind}",
        parent_id="" if kind == "interaction" else "1",
        start_ns=start,
        end_ns=start + 1,
        attributes={"span.type": kind, **attributes},
        scope=SCOPE,
    )


def record(name, at, **attributes):
    """The program hangs every record on the span of the turn."""
    return SpanEvent(name, at, {"event.name": name, **attributes}, span_id="1")


def test_a_span_that_has_lost_its_type_is_known_by_its_name():
    request = replace(span("1", "llm_request", 2, input_tokens=5, output_tokens=1), parent_id="")
    untyped = replace(request, attributes={"input_tokens": 5, "output_tokens": 1})

    [conversation] = converse([Trace(trace_id="t", spans=(untyped,))])

    [turn] = conversation.turns
    assert [call.input_tokens for call in turn.model_calls] == [5]


def read(*logs, prompt="Where is it?"):
    asked = {"gen_ai.operation.name": "invoke_agent", "user_prompt": prompt}
    spans = (
        span("1", "interaction", 1, **asked),
        span("2", "llm_request", 2, input_tokens=5, output_tokens=1),
        span("3", "tool", 4, tool_name="mcp__bakery__find", tool_use_id="c1"),
        span("4", "llm_request", 6, input_tokens=6, output_tokens=2),
    )
    [conversation] = converse([Trace(trace_id="t", spans=spans, logs=logs)])
    [turn] = conversation.turns
    return turn


def test_a_text_is_that_of_the_request_before_it():
    first, last = (
        record("assistant_response", at, response=text) for at, text in ((3, "I look."), (8, "Up."))
    )

    turn = read(last, first)

    assert (turn.user, turn.intermediate, turn.response) == ("Where is it?", ("I look.",), "Up.")


@pytest.mark.parametrize(
    ("given", "size", "args"),
    [
        ('{"item":"🧀"}', 13, {"item": "🧀"}),  # counted as JavaScript does
        ('{"item":"yyy…[6701 chars]"}', 6713, None),
    ],
)
def test_an_argument_that_the_program_has_shortened_is_unknown(given, size, args):
    turn = read(
        record("tool_result", 5, tool_use_id="c1", tool_input=given, tool_input_size_bytes=size)
    )

    [call] = turn.tool_calls
    assert (call.name, call.args) == ("mcp__bakery__find", args)
    assert bool(turn.find_gap(Fact.ARGUMENTS)) is (args is None)


def test_texts_that_the_program_has_kept_for_itself_are_unknown():
    turn = read(record("assistant_response", 8, response="<REDACTED>"), prompt="<REDACTED>")

    assert turn.find_gap(Fact.QUESTION)
    assert turn.find_gap(Fact.ANSWER)
