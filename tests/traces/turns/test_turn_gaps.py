"""Evidence that a recording does not show a fact, beside what looks like evidence and is none."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from agentevals.model.completeness import Fact, Presence
from agentevals.model.conversations import Span, Trace, Turn
from agentevals.traces.turns import converse

QUESTION = {
    "gen_ai.input.messages": json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": "Weather in Oslo?"}]}]
    )
}


def said(*parts: dict[str, Any]) -> dict[str, str]:
    return {"gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": list(parts)}])}


SCRUBBED = "[Scrubbed due to 'password']"
TEXT = {"type": "text", "content": "Clear."}
CALL = {"type": "tool_call", "name": "forecast", "id": "c1", "arguments": {"city": "Oslo"}}
ANSWERED = {
    "gen_ai.input.messages": json.dumps(
        [
            {"role": "user", "parts": [{"type": "text", "content": "Weather in Oslo?"}]},
            {"role": "assistant", "parts": [CALL]},
            {
                "role": "tool",
                "parts": [{"type": "tool_call_response", "id": "c1", "response": "clear"}],
            },
        ]
    )
}
HIDDEN = {"gen_ai.output.messages": "<REDACTED>"}
TOLD_OF_ANOTHER = {
    name: messages.replace("forecast", "tides") for name, messages in ANSWERED.items()
}
AFTER_THE_CALL = json.dumps([{"role": "assistant", "parts": [CALL]}])


def finished(*reasons: str) -> dict[str, Any]:
    return {"gen_ai.response.finish_reasons": list(reasons)}


def written(tokens: int, reasoning: int | None = None) -> dict[str, int]:
    found = {"gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": tokens}
    return found | ({"gen_ai.usage.reasoning.output_tokens": reasoning} if reasoning else {})


def span(at: int, name: str, parent: str = "", scope: str = "", **attributes: Any) -> Span:
    return Span(
        span_id=f"{at:02}",
        parent_id=parent,
        name=name,
        start_ns=at * 100,
        end_ns=at * 100 + 50,
        attributes=attributes,
        scope=scope,
    )


def agent(**attributes: Any) -> Span:
    known = {"gen_ai.operation.name": "invoke_agent", **attributes}
    return replace(span(1, "invoke_agent", **known), end_ns=10_000)


def chat(at: int, *known: dict[str, Any]) -> Span:
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    for one in known:
        attributes |= one
    return span(at, "chat m", "01", **attributes)


def chat_of_subagent(at: int, *known: dict[str, Any]) -> Span:
    return replace(chat(at, *known), parent_id="03")  # below the span of a tool


def tool(at: int, **attributes: Any) -> Span:
    known = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "forecast"}
    known |= {f"gen_ai.tool.call.{name}": value for name, value in attributes.items()}
    return span(at, "execute_tool forecast", "01", **known)


def fail(found: Span) -> Span:
    return replace(found, failed=True)


def heard(*messages: tuple[str, str]) -> dict[str, str]:
    given = [
        {"role": role, "parts": [{"type": "text", "content": text}]} for role, text in messages
    ]
    return {"gen_ai.input.messages": json.dumps(given)}


def llm(at: int, **attributes: Any) -> Span:
    """A request as OpenInference writes it: it alone writes costs."""
    known = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Weather in Oslo?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Clear.",
    }
    return span(at, "llm", "01", **known, **attributes)


PRICED = {"llm.cost.total": 0.1}
UNREAD_MODEL = span(6, "call", "01", **{"llm.model_name": "m"})


def read(*spans: Span) -> Turn:
    [conversation] = converse([Trace(trace_id="t", spans=spans)])
    [turn] = conversation.turns
    return turn


def gaps(*spans: Span) -> dict[str, str]:
    return {gap.fact.value: gap.presence.value for gap in read(*spans).gaps}


COMPLETE = (
    chat(2, QUESTION, said(CALL)),
    tool(3, id="c1", arguments='{"city": "Oslo"}', result="clear"),
    chat(4, ANSWERED, said(TEXT)),
)


@pytest.mark.parametrize(
    ("spans", "missing"),
    [
        pytest.param(
            (agent(**QUESTION), chat(2, finished("tool-calls")), chat(3, QUESTION, said(TEXT))),
            {"tool_calls": "unknown"},
            id="a finish reason that asks for a tool, without its call",
        ),
        pytest.param(
            (agent(**QUESTION), chat(2, finished("FinishReason.TOOL_CALLS")), chat(3, said(TEXT))),
            {"tool_calls": "unknown"},
            id="a finish reason as Python prints it that asks for a tool, without its call",
        ),
        pytest.param(
            (agent(**QUESTION), chat(2, said(TEXT), finished("tool_calls"))),
            {"answer": "unknown", "tool_calls": "unknown"},
            id="a message without the call that the finish reason speaks of",
        ),
        pytest.param(
            (agent(), chat(2)),
            {"question": "unknown", "answer": "unknown", "tool_calls": "unknown"},
            id="a model span without messages",
        ),
        pytest.param(
            (agent(**QUESTION), chat(2, QUESTION, finished("stop"), written(20))),
            {"answer": "unknown"},
            id="a model that has ended with a text that is not there",
        ),
        pytest.param(
            (
                agent(**QUESTION, **said(TEXT)),
                chat(2, {"gen_ai.provider.name": "gcp.gemini"}, written(20), finished("STOP")),
            ),
            {"tool_calls": "unknown"},
            id="Gemini's STOP, which follows a function call as well",
        ),
        pytest.param(
            (
                agent(**QUESTION, **said(TEXT)),
                span(
                    *(2, "response", "01", "openinference.instrumentation.openai_agents"),
                    **{"openinference.span.kind": "LLM", "llm.finish_reason": "stop"},
                    **{"llm.token_count.prompt": 9, "llm.token_count.completion": 20},
                ),
            ),
            {"tool_calls": "unknown"},
            id="the end of a response, which follows a function call as well",
        ),
        pytest.param(
            (agent(**QUESTION, **said(TEXT)),),
            {"tool_calls": "unknown"},
            id="an agent span without model spans",
        ),
        pytest.param(
            (agent(**QUESTION), span(2, "ai.toolCall", "01", **{"ai.toolCall.name": "forecast"})),
            {"answer": "unknown", "tool_calls": "unknown"},
            id="a span of a tool that nothing understands",
        ),
        pytest.param(
            (agent(**QUESTION), *COMPLETE, span(6, "call", "01", **{"llm.model_name": "m"})),
            {"answer": "unknown", "tokens": "unknown"},
            id="a span of a model that nothing understands",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, said({"type": "text", "content": "<REDACTED>"}))),
            {"answer": "withheld", "tool_calls": "withheld"},
            id="a placeholder in place of the answer",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION), tool(3, result="clear"), chat(4, QUESTION, said(TEXT))),
            {"arguments": "unknown"},
            id="a tool span without arguments",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION), tool(3, arguments="<elided>"), chat(4, said(TEXT))),
            {"arguments": "withheld", "tool_answers": "unknown"},
            id="a tool span with a placeholder, and without an answer",
        ),
        pytest.param(
            (
                agent(**QUESTION),
                tool(3, arguments="{}", result="__REDACTED__"),
                chat(4, said(TEXT)),
            ),
            {"tool_answers": "withheld"},
            id="a tool span with a placeholder in place of its answer",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, said({"type": "tool_call", "id": "c1"}))),
            {"answer": "unknown", "tool_calls": "unknown"},
            id="a call without a name",
        ),
        pytest.param(
            (
                agent(),
                chat(2, QUESTION, said(CALL), written(5)),
                chat(3, ANSWERED, said(TEXT), {"gen_ai.usage.input_tokens": 9}),
            ),
            {"tokens": "unknown"},
            id="tokens of one request and not of the other",
        ),
        pytest.param(
            (
                span(0, "run", **{"input.value": "Weather in Oslo?"}),
                replace(agent(), parent_id="00"),
                *COMPLETE,
            ),
            {"question": "unknown", "answer": "unknown", "time": "unknown"},
            id="a span around the agent's that nothing understands",
        ),
        pytest.param(
            (agent(**QUESTION, **said(TEXT)), chat(4, ANSWERED, said(TEXT))),
            {"tool_calls": "unknown"},
            id="a call that a later request tells of, and nothing else",
        ),
        pytest.param(
            (
                agent(),
                chat(2, QUESTION, said(TEXT)),
                span(
                    3,
                    "call forecast",
                    "01",
                    **{"gen_ai.operation.name": "call", "gen_ai.tool.name": "forecast"},
                ),
            ),
            {"tool_calls": "unknown"},
            id="a span that names a tool, and an operation that nobody knows",
        ),
        pytest.param(
            (
                agent(),
                chat(2, QUESTION),
                tool(3, id="c1", arguments='{"city": "[Redacted]"}', result="clear"),
                chat(4, QUESTION, said(TEXT)),
            ),
            {"arguments": "withheld"},
            id="a placeholder in one of the arguments",
        ),
        pytest.param(
            (
                agent(),
                chat(2, QUESTION),
                tool(3, id="c1", arguments='{"city": "Oslo", "day": "to', result="clear"),
                chat(4, QUESTION, said(TEXT)),
            ),
            {"arguments": "unknown"},
            id="arguments that a limit on attributes has cut off",
        ),
        pytest.param(
            (
                agent(),
                chat(2, QUESTION, said(CALL)),
                tool(3, id="c1", arguments='{"city": "Oslo"}', result="[REDACTED]"),
                chat(4, QUESTION, said(TEXT)),
            ),
            {"tool_answers": "withheld"},
            id="a placeholder in place of what the tool answered",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, said({"type": "text", "content": SCRUBBED}))),
            {"answer": "withheld", "tool_calls": "withheld"},
            id="a placeholder that says why",
        ),
        pytest.param(
            (
                agent(**QUESTION, final_result="It is clear", messages='[{"role": "'),
                chat(2, QUESTION, finished("stop")),
            ),
            {"answer": "unknown"},
            id="an answer as long as a value beside it that a limit has cut off",
        ),
        pytest.param(
            (
                agent(**QUESTION),
                chat(2, finished("tool_calls")),
                chat(3, QUESTION, said(CALL)),
                tool(4, id="c1", arguments='{"city": "Oslo"}', result="clear"),
                chat(5, ANSWERED, said(TEXT)),
            ),
            {"tool_calls": "unknown"},
            id="a request whose tool would have run before the next request, and did not",
        ),
        pytest.param(
            (agent(**QUESTION, **said(TEXT)), chat(2, written(380, reasoning=379))),
            {"tool_calls": "unknown"},
            id="a token that reasoning does not explain",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, said(TEXT)), chat(4, ANSWERED, said(TEXT))),
            {"tool_calls": "unknown"},
            id="a call that the last of several requests tells of",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, HIDDEN, finished("stop"))),
            {"answer": "withheld"},
            id="a placeholder in place of all messages of a model that has ended",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, HIDDEN, finished("tool_calls"))),
            {"answer": "withheld", "tool_calls": "withheld"},
            id="a placeholder in place of all messages of a model that asked for a tool",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, finished("stop"), written(1))),
            {"answer": "unknown"},
            id="a single token",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, said(TEXT)), span(3, "running tool: forecast", "01")),
            {"tool_calls": "unknown"},
            id="a span that is named as a tool's, and says nothing else",
        ),
        pytest.param(
            (agent(**QUESTION, **said(TEXT)), *COMPLETE[:2], chat(4, finished("tool_calls"))),
            {"tool_calls": "unknown"},
            id="a last request that asked for a tool once more",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, said(CALL)), chat(4, QUESTION, said(TEXT))),
            {"tool_answers": "unknown"},
            id="a call that another request follows, without its answer",
        ),
        pytest.param(
            (agent(), chat(2, {"gen_ai.input.messages": "<REDACTED>"}, said(TEXT))),
            {"question": "withheld"},
            id="a placeholder in place of what the model was given",
        ),
        pytest.param(
            (agent(**QUESTION), *COMPLETE[:2]),
            {"answer": "unknown"},
            id="an agent's span with its input and without its output",
        ),
        pytest.param(
            (agent(**QUESTION, **HIDDEN),),
            {"answer": "withheld", "tool_calls": "unknown"},
            id="a placeholder in place of the agent's output, and no model span",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, HIDDEN), chat(3)),
            {"answer": "unknown", "tool_calls": "unknown"},
            id="a placeholder in one request, and nothing at all in another",
        ),
        pytest.param(
            (agent(), llm(2, **PRICED), llm(3)),
            {"cost": "unknown"},
            id="the cost of one request and not of the other",
        ),
        pytest.param(
            (agent(**QUESTION), llm(2, **PRICED), UNREAD_MODEL),
            {"answer": "unknown", "tool_calls": "unknown", "tokens": "unknown", "cost": "unknown"},
            id="a cost beside a span of a model that nothing understands",
        ),
        pytest.param(
            (agent(), chat(2, {"gen_ai.input.messages": AFTER_THE_CALL}, said(TEXT))),
            {"question": "unknown", "tool_calls": "unknown"},
            id="messages whose oldest were dropped",
        ),
        pytest.param(
            (chat(2, heard(("user", "Weather?"), ("tool", "clear")), said(TEXT)),),
            {"tool_calls": "unknown"},
            id="the answer of a tool that nothing has called",
        ),
        pytest.param(
            (agent(**QUESTION), chat(2, QUESTION, {"gen_ai.operation.name": "muse"}, said(TEXT))),
            {"answer": "unknown", "tool_calls": "unknown", "tokens": "unknown"},
            id="the words of a model in an operation that nobody knows",
        ),
    ],
)
def test_evidence_that_a_fact_is_missing(spans, missing):
    assert gaps(*spans) == missing


@pytest.mark.parametrize(
    "spans",
    [
        pytest.param((agent(), *COMPLETE), id="everything was recorded"),
        pytest.param(
            (
                agent(),
                *COMPLETE,
                span(
                    5,
                    "GET /weather",
                    "01",
                    "opentelemetry.instrumentation.requests",
                    **{"http.method": "GET"},
                ),
                span(
                    6,
                    "SELECT",
                    "01",
                    "opentelemetry.instrumentation.sqlalchemy",
                    **{"db.system": "sqlite"},
                ),
                span(
                    7,
                    "jobs publish",
                    "01",
                    "opentelemetry.instrumentation.pika",
                    **{"messaging.system": "rabbitmq"},
                ),
            ),
            id="spans of HTTP, databases and queues",
        ),
        pytest.param(
            (agent(**QUESTION, **said(TEXT)), chat(2, written(380, reasoning=380))),
            id="tokens that reasoning explains, without messages",
        ),
        pytest.param(
            (
                agent(**QUESTION, **said(TEXT)),
                chat(2, finished("tool_calls")),
                tool(3, arguments="{}", result="1"),
                chat(4, finished("stop")),
            ),
            id="content withheld from the model's spans, and recorded by those of agent and tool",
        ),
        pytest.param(
            (
                agent(),
                chat(2, QUESTION, said(TEXT)),
                span(
                    3,
                    "embeddings m",
                    "01",
                    **{"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "m"},
                ),
            ),
            id="a span of embeddings",
        ),
        pytest.param(
            (
                agent(),
                *COMPLETE,
                span(
                    5,
                    "openai.embeddings",
                    "01",
                    **{
                        "llm.request.type": "embedding",
                        "gen_ai.system": "openai",
                        "gen_ai.request.model": "text-embedding-3-small",
                        "gen_ai.usage.input_tokens": 3,
                    },
                ),
            ),
            id="a span of embeddings, as older releases write it",
        ),
        pytest.param(
            (
                agent(),
                *COMPLETE,
                span(5, "tools/call forecast", "01", **{"mcp.tool.name": "forecast"}),
            ),
            id="a second span about a tool whose call is known",
        ),
        pytest.param(
            (
                agent(),
                *COMPLETE,
                chat(5, ANSWERED, said(TEXT)),
            ),
            id="a request that repeats what it was told",
        ),
        pytest.param(
            (
                agent(),
                *COMPLETE,
                span(
                    5,
                    "request",
                    "01",
                    **{"gen_ai.request.model": "text-embedding-3-small"},
                ),
            ),
            id="a span of embeddings, by the name of the model alone",
        ),
        pytest.param(
            (agent(), COMPLETE[0], span(3, "running tool", "01"), COMPLETE[2]),
            id="a span of a tool without a name, whose call is in the messages",
        ),
        pytest.param((fail(agent(**QUESTION)),), id="an agent that failed before it did anything"),
        pytest.param(
            (agent(), replace(COMPLETE[0], end_ns=900), *COMPLETE[1:]),
            id="a request that asks for a tool, and ends after all that follows it",
        ),
        pytest.param(
            (agent(), COMPLETE[0], fail(tool(3, id="c1", arguments="{}")), COMPLETE[2]),
            id="a tool that failed, and so has no answer",
        ),
        pytest.param(
            (agent(), chat(2, heard(("system", "Be kind."), ("assistant", "Hello.")), said(TEXT))),
            id="messages that are all there, and none of a user",
        ),
        pytest.param(
            (agent(), fail(chat(2)), chat(3, QUESTION, said(TEXT), written(5))),
            id="a request that failed, and so has neither messages nor tokens",
        ),
        pytest.param(
            (agent(), fail(llm(2)), llm(3, **PRICED)),
            id="a request that failed, and so has no cost",
        ),
        pytest.param(
            (agent(), *COMPLETE, chat_of_subagent(5, finished("stop"))),
            id="the text of another agent's request below a tool, which is no answer",
        ),
        pytest.param(
            (agent(), *COMPLETE, chat_of_subagent(5, TOLD_OF_ANOTHER, said(TEXT))),
            id="calls that another agent below a tool was told of",
        ),
    ],
)
def test_what_is_no_evidence(spans):
    assert gaps(*spans) == {}


def test_a_gap_says_how_the_fact_is_recorded():
    strands = Span(
        span_id="2", name="chat", scope="strands.telemetry.tracer", attributes=chat(2).attributes
    )
    gap = read(strands).find_gap(Fact.ANSWER)

    assert gap is not None
    assert gap.presence is Presence.UNKNOWN
    assert gap.reason == (
        "the answer was not recorded: the model's output is not in the span. "
        "Set OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental, and record again"
    )


def test_an_earlier_text_is_not_the_answer():
    turn = read(agent(), chat(2, QUESTION, said(TEXT, CALL)), tool(3, id="c1"), chat(4, ANSWERED))

    assert turn.response is None
    assert turn.find_gap(Fact.ANSWER)
    assert turn.intermediate == ("Clear.",)


@pytest.mark.parametrize(
    ("part", "name", "given"),
    [
        (
            {"type": "server_tool_call", "name": "web_search", "server_tool_call": {"q": "Oslo"}},
            "web_search",
            {"q": "Oslo"},
        ),
        ({"type": "server_tool_use", "name": "web_search", "input": {}}, "web_search", {}),
        ({"type": "web_search_call", "action": {"query": "Oslo"}}, "web_search", {"query": "Oslo"}),
        ({"type": "custom_tool_call", "name": "run", "input": "ls"}, "run", {"value": "ls"}),
    ],
)
def test_a_tool_that_the_provider_runs_is_a_tool_call(part, name, given):
    turn = read(agent(), chat(2, QUESTION, said({"id": "s1", **part}, TEXT)))

    assert [(call.name, call.args) for call in turn.tool_calls] == [(name, given)]


def test_tools_that_start_at_the_same_moment_stand_in_the_order_of_the_model():
    """Some clocks count milliseconds, and ids of spans are random."""
    other = {**CALL, "id": "c2", "arguments": {"city": "Bergen"}}
    spans = (
        span(7, "execute_tool", "01", **tool(3, id="c1", arguments='{"city": "Oslo"}').attributes),
        span(6, "execute_tool", "01", **tool(3, id="c2", arguments="{}").attributes),
    )
    together = [replace(each, start_ns=300) for each in spans]
    turn = read(agent(), chat(2, QUESTION, said(CALL, other)), *together)

    assert [call.call_id for call in turn.tool_calls] == ["c1", "c2"]


def test_a_tool_whose_agent_was_not_recorded_belongs_to_the_turn_before_it():
    spans = (tool(3, id="c1", arguments="{}", result="clear"), chat(4, QUESTION, said(TEXT)))
    lost = [replace(each, parent_id="99") for each in spans]
    [conversation] = converse([Trace(trace_id="t", spans=tuple(lost))])

    assert [call.name for turn in conversation.turns for call in turn.tool_calls] == ["forecast"]


def turn_of_another(at: int, question: str, *parts: dict[str, Any]) -> Span:
    """A request of a program that has no span of an agent, only one of its own."""
    return chat(at, heard(("system", "Be brief."), ("user", question)), said(*parts))


MIXED = (
    "requests below the span 'conversation' have different questions: nobody says whose is whose. "
    "Put one span around all requests of each turn, and record again"
)
OWN = replace(span(1, "conversation"), end_ns=10_000)


@pytest.mark.parametrize(
    ("spans", "remedy"),
    [
        pytest.param(
            (replace(chat(2, QUESTION, said(TEXT, CALL)), parent_id=""),),
            "Put one span around all requests of each turn, and record again",
            id="a request with a trace of its own",
        ),
        pytest.param(
            (agent(), chat(2, QUESTION, said(TEXT, CALL))),
            "Let the agent come to its end, and record again",
            id="an agent whose tool has no span",
        ),
        pytest.param(
            (
                agent(),
                chat(2, QUESTION, said(TEXT, CALL)),
                tool(3, id="c1", arguments="{}", result="1"),
            ),
            "Let the agent come to its end, and record again",
            id="an agent that ends with a tool, whose result may be the answer",
        ),
        pytest.param(
            (agent(**said(CALL)), chat(2, QUESTION, said(TEXT, CALL))),
            "Let the agent come to its end, and record again",
            id="an agent that says no more than its model",
        ),
    ],
)
def test_a_last_request_that_asks_for_a_tool_has_not_answered(spans, remedy):
    turn = read(*spans)

    assert (turn.response, turn.intermediate) == (None, ("Clear.",))
    has_answered = any(call.answered for call in turn.tool_calls)
    unknown = [Fact.ANSWER] if has_answered else [Fact.ANSWER, Fact.TOOL_ANSWERS]
    assert [gap.fact for gap in turn.gaps] == unknown
    assert {gap.remedy for gap in turn.gaps} == {remedy}
    assert {gap.evidence for gap in turn.gaps} == {
        "the last request asks for the tool 'forecast', and nothing shows what followed"
    }


def test_a_run_that_has_failed_meanwhile_has_answered_nobody():
    failed = replace(agent(), failed=True)

    turn = read(failed, chat(2, QUESTION, said(TEXT, CALL)))

    assert (turn.response, turn.intermediate) == (None, ("Clear.",))
    assert turn.find_gap(Fact.ANSWER) is None


def test_the_other_half_of_such_a_turn_lacks_its_calls():
    [gap] = read(replace(chat(2, ANSWERED, said(TEXT)), parent_id="")).gaps

    assert (gap.fact, gap.remedy) == (
        Fact.TOOL_CALLS,
        "Put one span around all requests of each turn, and record again",
    )


def test_requests_with_different_questions_need_the_span_of_an_agent_to_be_one_turn():
    both = (turn_of_another(2, "Weather in Oslo?", TEXT), turn_of_another(3, "And Rome?", TEXT))

    turn = read(OWN, *both)
    assert {gap.fact for gap in turn.gaps} == {Fact.QUESTION, Fact.ANSWER, Fact.TOOL_CALLS}
    assert (turn.user, turn.response) == ("", None)
    assert {gap.reason.partition(": ")[2] for gap in turn.gaps} == {MIXED}
    assert read(agent(**QUESTION, **said(TEXT)), *both).gaps == ()


@pytest.mark.parametrize(
    ("second", "own", "is_one"),
    [
        (("user", "Weather in Oslo?"), {}, False),
        (("user", "Weather in Oslo?"), QUESTION, True),
        (("system", "You judge."), {}, True),
    ],
)
def test_a_workflow_without_messages_may_be_around_a_conversation(second, own, is_one):
    """One of the OpenAI Agents SDK may be around several runs; a pipeline tells no answer on."""
    workflow = agent(**{"gen_ai.operation.name": "invoke_workflow", **own})
    told = heard(second, ("assistant", "Clear."), ("user", "And Rome?"))
    if second[0] == "system":
        told = heard(second, ("user", "Clear."))
    turn = read(workflow, chat(2, QUESTION, said(TEXT)), chat(3, told, said(TEXT)))

    assert {gap.fact for gap in turn.gaps} == (
        set() if is_one else {Fact.QUESTION, Fact.ANSWER, Fact.TOOL_CALLS}
    )


def test_an_unknown_operation_around_a_request_holds_the_words_of_that_request():
    around = replace(chat(2, QUESTION, {"gen_ai.operation.name": "muse"}, said(TEXT)), end_ns=500)

    assert gaps(agent(**QUESTION), around, replace(chat(3, said(TEXT)), parent_id="02")) == {}
