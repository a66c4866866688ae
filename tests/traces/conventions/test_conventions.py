import json

import msgspec
import pytest

from agentevals.model.completeness import Fact
from agentevals.model.conversations import Span, SpanEvent, Trace, Turn
from agentevals.traces.conventions import CONVENTIONS, Kind, read_span
from agentevals.traces.turns import converse
from tests.support import DATA

RECORDED = sorted((DATA / "conventions").glob("*/*/trace.json"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: "-".join(path.parts[-3:-1]))
def test_a_recorded_trace_reads_as_the_turns_beside_it(path, golden):
    trace = msgspec.json.decode(path.read_bytes(), type=Trace)

    [conversation] = converse([trace])

    assert conversation.spans == trace.spans
    told = msgspec.to_builtins(msgspec.structs.replace(conversation, spans=()))
    golden(path.with_name("turns.json"), told)


@pytest.mark.parametrize("name", list(CONVENTIONS))
def test_every_convention_has_a_recorded_trace(name):
    assert any((DATA / "conventions" / name).glob("*/trace.json"))


def test_recorded_traces_are_small_enough_to_be_read():
    assert all(len(json.loads(path.read_text())["spans"]) <= 6 for path in RECORDED)


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "openinference.span.kind": "LLM",
            "llm.input_messages.40.message.role": "user",
            "llm.input_messages.40.message.content": "Hi",
        },
        {
            "llm.request.type": "chat",
            "gen_ai.prompt.40.role": "user",
            "gen_ai.prompt.40.content": "Hi",
        },
    ],
)
def test_the_latest_messages_are_read_where_the_sdk_has_dropped_the_oldest(attributes):
    span = Span(span_id="1", name="chat", attributes=attributes)

    [conversation] = converse([Trace(trace_id="t", spans=(span,))])

    assert [turn.user for turn in conversation.turns] == ["Hi"]


@pytest.mark.parametrize("answered", ["4", "", "null", "[1]", "four"])
def test_a_text_that_a_tool_of_adk_has_answered_stays_that_text(answered):
    """ADK writes it as JSON, so that `"4"` and `4` are told apart."""
    scope = "gcp.vertex.agent"
    names = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look_up"}
    told = {f"{scope}.tool_call_args": "{}", f"{scope}.tool_response": json.dumps(answered)}
    agent = Span(
        span_id="1",
        name="invoke_agent helper",
        scope=scope,
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper"},
    )
    tool = Span(
        span_id="2", parent_id="1", name="execute_tool", scope=scope, attributes={**names, **told}
    )

    [conversation] = converse([Trace(trace_id="t", spans=(agent, tool))])

    assert [call.response for call in conversation.turns[0].tool_calls] == [answered]


def test_arguments_that_openinference_leaves_out_are_those_that_the_model_wrote():
    """It flattens no arguments that are empty."""
    call = {"id": "c1", "type": "function", "function": {"name": "wait", "arguments": "{}"}}
    flat = "llm.output_messages.0.message."
    attributes = {
        "openinference.span.kind": "LLM",
        "output.value": json.dumps([{"role": "assistant", "tool_calls": [call]}]),
        f"{flat}role": "assistant",
        f"{flat}tool_calls.0.tool_call.id": "c1",
        f"{flat}tool_calls.0.tool_call.function.name": "wait",
    }
    span = Span(span_id="1", name="generation", attributes=attributes)

    [conversation] = converse([Trace(trace_id="t", spans=(span,))])

    assert [call.args for call in conversation.turns[0].tool_calls] == [{}]


def test_the_structured_answer_of_pydantic_ai_stands_in_the_span_of_the_agent():
    """Its model gives it as arguments of a tool that no agent has, and says nothing."""
    call = {"type": "tool_call", "name": "final_result", "id": "c1", "arguments": {"sky": "clear"}}
    agent = {"gen_ai.operation.name": "invoke_agent", "final_result": '{"sky":"clear"}'}
    request = {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [call]}]),
    }
    spans = (
        Span(span_id="1", name="invoke_agent", attributes=agent),
        Span(span_id="2", parent_id="1", name="chat", attributes=request),
    )

    [conversation] = converse([Trace(trace_id="t", spans=spans)])

    assert conversation.turns[0].response == '{"sky":"clear"}'


def completion(**more):
    message = {"role": "assistant", "content": "I look.", "tool_calls": None}
    answer = {"choices": [{"finish_reason": "stop", "message": message}]}
    attributes = {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": json.dumps({"messages": [{"role": "user", "content": "Hi"}]}),
        "mlflow.spanOutputs": json.dumps(answer),
    }
    return Span(span_id="1", name="Completions", attributes=attributes, **more)


def chunk(number, delta):
    value = json.dumps({"choices": [{"delta": delta}]})
    return SpanEvent(name=f"mlflow.chunk.item.{number}", attributes={"mlflow.chunk.value": value})


def test_the_calls_of_a_stream_are_in_the_chunks_that_mlflow_keeps():
    """The output beside them says that it has stopped, without a call."""
    call = {"index": 0, "id": "c1", "function": {"name": "wait", "arguments": "{}"}}
    events = (chunk(0, {"content": "I look."}), chunk(1, {"tool_calls": [call]}))

    [conversation] = converse([Trace(trace_id="t", spans=(completion(events=events),))])

    [turn] = conversation.turns
    assert [(call.name, call.args) for call in turn.tool_calls] == [("wait", {})]


def test_a_stream_of_mlflow_without_its_first_chunks_is_unknown():
    events = (chunk(1, {"content": "look."}),)

    [conversation] = converse([Trace(trace_id="t", spans=(completion(events=events),))])

    [turn] = conversation.turns
    assert turn.find_gap(Fact.ANSWER)
    assert turn.find_gap(Fact.TOOL_CALLS)


def test_the_outermost_function_under_mlflow_is_asked_and_answers():
    attributes = {
        "mlflow.spanType": '"UNKNOWN"',
        "mlflow.spanInputs": '{"question": "Hi"}',
        "mlflow.spanOutputs": '"Hello"',
    }
    outer = Span(span_id="2", name="answer", attributes=attributes)
    inner = msgspec.structs.replace(completion(), parent_id="2")

    [conversation] = converse([Trace(trace_id="t", spans=(outer, inner))])

    [turn] = conversation.turns
    assert (turn.user, turn.response) == ("Hi", "Hello")


def read_turn(*spans: Span) -> Turn:
    [conversation] = converse([Trace(trace_id="t", spans=spans)])
    [turn] = conversation.turns
    return turn


def build_request(**attributes: str) -> Span:
    known = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **attributes}
    return Span(span_id="2", parent_id="1", name="chat", start_ns=1, end_ns=2, attributes=known)


def say(role: str, *parts: dict[str, object]) -> str:
    return json.dumps([{"role": role, "parts": list(parts)}])


@pytest.mark.parametrize(
    ("state", "question"),
    [
        ('{"question": "Weather in Oslo?"}', "Weather in Oslo?"),
        ('{"city": "Oslo"}', "Describe the weather in Oslo."),
        ("Weather in Oslo?", "Weather in Oslo?"),
    ],
)
@pytest.mark.parametrize("operation", ["invoke_workflow", "handle_conversation_turn"])
def test_the_state_of_a_graph_is_no_question_of_a_user(state, question, operation):
    """OpenTelemetry's instrumentation of LangChain writes it as what the user has said."""
    given = say("user", {"type": "text", "content": state})
    workflow = {"gen_ai.operation.name": operation, "gen_ai.input.messages": given}
    asked = say("user", {"type": "text", "content": "Describe the weather in Oslo."})
    turn = read_turn(
        Span(span_id="1", name="invoke_workflow", end_ns=9, attributes=workflow),
        build_request(**{"gen_ai.input.messages": asked}),
    )

    assert turn.user == question


def test_an_answer_of_a_given_form_is_one_answer_however_its_json_is_spaced():
    """Pydantic AI writes it anew, and it is what the model has said."""
    answer = {"gen_ai.operation.name": "invoke_agent", "final_result": '{"sky":"clear"}'}
    told = say("assistant", {"type": "text", "content": '{"sky": "clear"}'})
    turn = read_turn(
        Span(span_id="1", name="invoke_agent", end_ns=9, scope="pydantic-ai", attributes=answer),
        build_request(**{"gen_ai.output.messages": told}),
    )

    assert (turn.response, turn.intermediate) == ('{"sky": "clear"}', ())


@pytest.mark.parametrize(
    ("scope", "args"),
    [
        ("openinference.instrumentation.langchain", {"kwargs": {"sky": "clear"}}),
        ("openinference.instrumentation.llama_index", {"sky": "clear"}),
    ],
)
def test_an_argument_of_the_name_kwargs_is_unwrapped_only_where_it_is_a_wrapping(scope, args):
    attributes = {
        "openinference.span.kind": "TOOL",
        "tool.name": "note",
        "input.value": '{"kwargs": {"sky": "clear"}}',
    }
    chain = {"openinference.span.kind": "CHAIN", "input.value": "Note it."}
    turn = read_turn(
        Span(span_id="1", name="chain", end_ns=9, scope=scope, attributes=chain),
        Span(span_id="2", parent_id="1", name="note", scope=scope, attributes=attributes),
    )

    assert [call.args for call in turn.tool_calls] == [args]


@pytest.mark.parametrize(
    ("parameters", "args"),
    [
        ('{"city": {"type": "string"}, "days": {"type": "integer"}}', {"city": "Oslo", "days": 2}),
        ("{}", None),
        (None, None),
    ],
)
def test_a_positional_argument_has_the_name_of_the_parameter_in_its_place(parameters, args):
    """Code that an agent of smolagents writes may call a tool with such arguments."""
    scope = "openinference.instrumentation.smolagents"
    given = {"args": ["Oslo"], "sanitize_inputs_outputs": False, "kwargs": {"days": 2}}
    attributes = {
        "openinference.span.kind": "TOOL",
        "tool.name": "forecast",
        "input.value": json.dumps(given),
        **({"tool.parameters": parameters} if parameters else {}),
    }
    chain = {"openinference.span.kind": "CHAIN", "input.value": "Weather?"}
    turn = read_turn(
        Span(span_id="1", name="chain", end_ns=9, scope=scope, attributes=chain),
        Span(span_id="2", parent_id="1", name="forecast", scope=scope, attributes=attributes),
    )

    assert [call.args for call in turn.tool_calls] == [args]


def test_arguments_that_python_prints_as_none_are_those_of_the_model():
    call = {"type": "tool_call", "id": "c1", "name": "wait", "arguments": {}}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "wait",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": "None",
    }
    agent = {"gen_ai.operation.name": "invoke_agent"}
    turn = read_turn(
        Span(span_id="1", name="invoke_agent", end_ns=9, attributes=agent),
        build_request(**{"gen_ai.output.messages": say("assistant", call)}),
        Span(span_id="3", parent_id="1", name="execute_tool", start_ns=3, attributes=tool),
    )

    assert [call.args for call in turn.tool_calls] == [{}]


def test_the_printed_result_of_llama_index_is_no_answer():
    """OpenLLMetry 0.48 writes the whole result of an agent as a text."""
    result = {"response": {"role": "assistant"}, "current_agent_name": "a", "tool_calls": []}
    attributes = {
        "traceloop.span.kind": "workflow",
        "traceloop.entity.output": json.dumps(json.dumps(result)),
    }
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps([{"role": "user", "content": "Hi"}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "content": "Hello"}]),
    }
    agent = Span(span_id="1", name="FunctionAgent.workflow", attributes=attributes)
    request = Span(span_id="2", name="openai.chat", parent_id="1", attributes=said)

    [conversation] = converse([Trace(trace_id="t", spans=(agent, request))])

    assert [turn.response for turn in conversation.turns] == ["Hello"]


def test_an_agent_of_dspy_names_its_tools_by_their_spans_and_is_asked_in_its_own_words():
    def build(name, kind, given, told):
        attributes = {
            "openinference.span.kind": kind,
            "input.value": json.dumps(given),
            "output.value": json.dumps(told),
        }
        scope = "openinference.instrumentation.dspy"
        return Span(span_id=kind, name=name, attributes=attributes, scope=scope)

    asked, told = {"input_args": {"question": "Sky?"}}, {"trajectory": {}, "answer": "It is clear."}
    agent = build("ReAct.forward", "CHAIN", asked, told)
    tool = build("find_sky.__call__", "TOOL", {"kwargs": {"city": "Oslo"}}, "clear")
    tool = msgspec.structs.replace(tool, parent_id="CHAIN")

    [conversation] = converse([Trace(trace_id="t", spans=(agent, tool))])

    [turn] = conversation.turns
    assert (turn.user, turn.response) == ("Sky?", "It is clear.")
    assert [(c.name, c.args, c.response) for c in turn.tool_calls] == [
        ("find_sky", {"city": "Oslo"}, "clear")
    ]


def test_values_tell_spans_of_one_shape_apart():
    """Who speaks is found once for each shape, unless it is a value that tells."""
    spans = [
        Span(span_id=at, name="step", start_ns=int(at), attributes={"mlflow.spanType": kind})
        for at, kind in (("1", '"AGENT"'), ("2", '""'), ("3", '"TOOL"'))
    ]

    read = [read_span(span) for span in spans]

    assert [reading and reading.kind for reading in read] == [Kind.AGENT, None, Kind.TOOL]


def test_events_tell_spans_with_the_same_attributes_apart():
    asked = SpanEvent(name="gen_ai.user.message", attributes={"content": "Hi"})
    silent, speaking = Span(span_id="1", name="x"), Span(span_id="2", name="x", events=(asked,))

    assert read_span(silent) is None
    assert [message.text for message in read_span(speaking).input_messages] == ["Hi"]
    assert [message.text for message in read_span(silent, (asked,)).input_messages] == ["Hi"]
