import json
import random

import pytest

from agentevals.model.conversations import Span, Trace, Turn
from agentevals.model.errors import InputError
from agentevals.traces.turns import NO_TURNS, converse

MS = 1_000_000
OPERATION = "gen_ai.operation.name"


def span(span_id, parent="", at=(0, 100), **attributes):
    fields = {
        key: attributes.pop(key) for key in ("name", "failed", "resource") & attributes.keys()
    }
    return Span(
        span_id=span_id,
        parent_id=parent,
        start_ns=at[0] * MS,
        end_ns=at[1] * MS,
        attributes={key.replace("__", "."): value for key, value in attributes.items()},
        **{"name": "s", **fields},
    )


def agent(span_id, parent="", at=(0, 1000), **attributes):
    return span(span_id, parent, at, gen_ai__operation__name="invoke_agent", **attributes)


def chat(span_id, parent="", at=(0, 100), *, heard=None, said=None, **attributes):
    if heard is not None:
        attributes["gen_ai__input__messages"] = json.dumps(heard)
    if said is not None:
        attributes["gen_ai__output__messages"] = json.dumps(said)
    return span(span_id, parent, at, gen_ai__operation__name="chat", **attributes)


def tool(span_id, parent="", at=(0, 50), *, named="f", **attributes):
    for key, value in (
        ("name", named),
        ("call__id", attributes.pop("call_id", None)),
        ("call__arguments", attributes.pop("args", None)),
    ):
        if value is not None:
            attributes[f"gen_ai__tool__{key}"] = value
    return span(span_id, parent, at, gen_ai__operation__name="execute_tool", **attributes)


def user(*texts):
    return [{"role": "user", "content": text} for text in texts]


def assistant(text):
    return [{"role": "assistant", "content": text}]


def asks(*calls):
    parts = [
        {"type": "tool_call", "name": name, "id": call_id, "arguments": args}
        for name, call_id, args in calls
    ]
    return [{"role": "assistant", "parts": parts}]


def answers(*told):
    parts = [{"type": "tool_call_response", "id": i, "response": value} for i, value in told]
    return [{"role": "tool", "parts": parts}]


def read(*spans, **fields):
    [conversation] = converse([Trace(trace_id="t", spans=spans, **fields)])
    return conversation


def only_turn(*spans):
    [turn] = read(*spans).turns
    return turn


def ids(conversation):
    return [turn.turn_id for turn in conversation.turns]


# Which spans are a turn


def test_the_topmost_agent_anchors_the_turn_and_agents_below_belong_to_it():
    turn = only_turn(
        agent("main"),
        agent("helper", "main"),
        chat("c", "helper", heard=user("q"), said=assistant("a")),
    )

    assert (turn.turn_id, turn.user, turn.response) == ("main", "q", "a")


def test_agents_beside_each_other_are_turns_of_their_own():
    conversation = read(
        span("http"),
        agent("b", "http", (200, 300)),
        chat("c2", "b", (210, 220)),
        agent("a", "http", (0, 100)),
        chat("c1", "a", (10, 20)),
    )

    assert ids(conversation) == ["a", "b"]


def test_a_request_outside_of_any_agent_makes_its_root_a_turn():
    conversation = read(
        span("http", at=(0, 900)),
        agent("a", "http", (0, 100)),
        chat("c1", "a", (10, 20)),
        chat("c2", "http", (500, 600)),
    )

    assert ids(conversation) == ["a", "http"]


def test_an_agent_under_a_tool_belongs_to_the_turn_of_the_tool():
    turn = only_turn(
        agent("main"),
        chat("c1", "main", (0, 10), heard=user("q"), said=asks(("f", "1", {}))),
        tool("t", "main", (20, 80), call_id="1"),
        agent("helper", "t", (30, 70)),
        chat("c2", "helper", (40, 50), heard=user("sub"), said=assistant("for the tool")),
        chat("c3", "main", (100, 200), said=assistant("for the user")),
    )

    assert turn.response == "for the user"
    assert turn.intermediate == ("for the tool",)
    assert [call.name for call in turn.tool_calls] == ["f"]


@pytest.mark.parametrize(
    "spans",
    [
        [agent("a")],
        [agent("a"), agent("b", "a", gen_ai__input__messages="Hi")],
        [tool("t")],
        [span("http", http__method="GET")],
        [span("e", gen_ai__operation__name="embeddings", gen_ai__request__model="m")],
        [],
    ],
    ids=["idle agent", "only a nested agent talks", "tool", "http", "embeddings", "no spans"],
)
def test_without_a_turn_the_conversation_says_so(spans):
    conversation = read(*spans)

    assert conversation.turns == ()
    assert conversation.error == NO_TURNS


def test_without_a_turn_the_time_of_every_root_is_kept():
    assert read(span("a", at=(0, 50)), span("b", at=(10, 30))).elapsed_ns == (50 * MS, 20 * MS)


@pytest.mark.parametrize(
    "spans",
    [
        [span("a", gen_ai__operation__name="invoke_agent", gen_ai__output__messages="Hello.")],
        [span("a", gen_ai__operation__name="invoke_workflow", failed=True)],
        [agent("a"), tool("t", "a")],
    ],
    ids=["spoke", "failed", "used a tool"],
)
def test_an_agent_without_requests_is_a_turn_when_it_did_something(spans):
    assert ids(read(*spans)) == ["a"]


@pytest.mark.parametrize(
    ("attributes", "recognised"),
    [
        ({"gen_ai.system": "openai", "gen_ai.usage.input_tokens": 1}, True),
        ({"gen_ai.provider.name": "openai", "gen_ai.prompt.0.content": "hi"}, True),
        ({"gen_ai.provider.name": "openai"}, False),
        ({"gen_ai.usage.input_tokens": 1}, False),
    ],
)
def test_a_span_without_an_operation_is_a_request_when_everything_points_to_one(
    attributes, recognised
):
    conversation = read(span("a", **{"gen_ai.request.model": "m", **attributes}))

    assert bool(conversation.turns) is recognised


def test_names_of_spans_mean_nothing_outside_of_adk():
    assert not read(span("a", name="invoke_agent x"), span("b", "a", name="call_llm")).turns


def test_only_traces_that_no_agent_recorded_are_foreign():
    assert read(span("http", http__method="GET")).foreign
    assert not read(agent("idle")).foreign
    assert not read(chat("c")).foreign


def test_a_trace_in_which_an_agent_is_only_created_is_a_preparation():
    created = span("a", gen_ai__operation__name="create_agent", gen_ai__agent__name="x")

    assert read(created).preparation
    assert not read(agent("idle")).preparation
    assert not read(created, chat("c")).preparation


# The shape of the tree


def test_a_span_with_an_unknown_parent_is_a_root():
    assert ids(read(chat("c", "gone"))) == ["c"]


def test_a_span_that_is_its_own_parent_is_a_root_and_that_is_said():
    conversation = read(chat("c", "c"))

    assert ids(conversation) == ["c"]
    assert conversation.warnings == ("span c names itself as parent; treated as a root",)


def test_a_cycle_of_parents_is_broken_at_its_earliest_span():
    conversation = read(
        agent("a", "b", (5, 100)), agent("b", "a", (2, 100)), chat("c", "a", (6, 10))
    )

    assert ids(conversation) == ["b"]
    assert conversation.warnings == ("parent cycle through 2 spans broken at b",)


def test_a_second_span_with_the_same_id_is_ignored_and_that_is_said():
    conversation = read(chat("c", said=assistant("first")), chat("c", said=assistant("second")))

    assert conversation.turns[0].response == "first"
    assert conversation.warnings == ("duplicate span c ignored",)


@pytest.mark.parametrize("upside_down", [False, True])
def test_five_thousand_levels_are_read(upside_down):
    spans = [chat(str(i), str(i - 1) if i else "", (i, 20_000 - i)) for i in range(5000)]

    turn = only_turn(*(reversed(spans) if upside_down else spans))

    assert (turn.turn_id, len(turn.model_calls)) == ("0", 1)


# What the user said, what was answered


def test_the_user_is_the_last_run_of_user_messages():
    history = [*user("old"), *assistant("reply"), *user("one", "two"), *answers(("1", "r"))]

    assert only_turn(chat("c", heard=history)).user == "onetwo"


def test_the_messages_of_the_agent_win_over_those_of_its_requests():
    turn = only_turn(
        agent("a", gen_ai__input__messages="asked", gen_ai__output__messages="answered"),
        chat("c", "a", heard=user("rephrased"), said=assistant("draft")),
    )

    assert (turn.user, turn.response, turn.intermediate) == ("asked", "answered", ("draft",))


def test_the_answer_is_what_the_last_request_said():
    turn = only_turn(
        agent("a"),
        chat("c2", "a", (300, 500), heard=user("q"), said=assistant("second")),
        chat("c1", "a", (0, 300), heard=user("q"), said=assistant("first")),
    )

    assert (turn.response, turn.intermediate) == ("second", ("first",))


@pytest.mark.parametrize("placeholder", ["", "  ", "<REDACTED>", "<elided>"])
def test_a_withheld_text_is_no_text(placeholder):
    turn = only_turn(chat("c", heard=user(placeholder), said=assistant(placeholder)))

    assert (turn.user, turn.response) == ("", None)


# Requests to a model


def test_a_request_inside_a_request_is_the_same_one_and_the_inner_one_knows_best():
    [call] = only_turn(
        agent("a"),
        chat("outer", "a", (1, 90), gen_ai__request__model="m", gen_ai__usage__input_tokens=9),
        span("http", "outer"),
        chat("inner", "http", (2, 95), gen_ai__usage__input_tokens=10),
    ).model_calls

    assert (call.model, call.input_tokens, call.output_tokens) == ("m", 10, None)
    assert (call.start_ns, call.end_ns) == (1 * MS, 95 * MS)


def test_a_request_around_several_is_none_of_its_own():
    turn = only_turn(
        agent("a"),
        chat("outer", "a", (1, 90), gen_ai__usage__input_tokens=30),
        chat("c1", "outer", (2, 20), gen_ai__usage__input_tokens=10),
        chat("c2", "outer", (30, 80), gen_ai__usage__input_tokens=20),
    )

    assert [call.input_tokens for call in turn.model_calls] == [10, 20]


@pytest.mark.parametrize(
    ("second", "answer", "tokens"),
    [
        ((2, 80), "r1", [11]),  # the one within the other is nearer to the model
        ((2, 95), "r1", [10]),
        ((2, 80), "r2", [10, 11]),
        ((90, 99), "r1", [10, 11]),
    ],
)
def test_two_instrumentations_of_one_request_see_the_same_answer_at_the_same_time(
    second, answer, tokens
):
    said = {"gen_ai__response__id": "r1", "gen_ai__usage__input_tokens": 10}
    also = {"gen_ai__response__id": answer, "gen_ai__usage__input_tokens": 11}

    turn = only_turn(agent("a"), chat("c1", "a", (1, 90), **said), chat("c2", "a", second, **also))

    assert [call.input_tokens for call in turn.model_calls] == tokens


def test_a_tool_between_two_requests_keeps_them_apart():
    turn = only_turn(
        agent("a"), chat("c1", "a", (0, 90)), tool("t", "c1", (5, 60)), chat("c2", "t", (10, 50))
    )

    assert len(turn.model_calls) == 2


# Tool calls


def test_a_tool_inside_the_same_tool_is_one_call():
    [call] = only_turn(
        agent("a"),
        tool("outer", "a", (1, 90), args='{"x": 1}'),
        span("http", "outer"),
        tool("inner", "http", (5, 60), call_id="9", gen_ai__tool__call__result="done"),
    ).tool_calls

    assert (call.args, call.call_id, call.response) == ({"x": 1}, "9", "done")
    assert (call.start_ns, call.end_ns) == (1 * MS, 90 * MS)


def test_a_tool_inside_another_tool_is_another_call():
    turn = only_turn(agent("a"), tool("t", "a", (1, 90)), tool("u", "t", (5, 60), named="g"))

    assert [call.name for call in turn.tool_calls] == ["f", "g"]


def test_calls_stand_in_the_order_of_time():
    turn = only_turn(agent("a"), tool("t", "a", (50, 60)), tool("u", "a", (10, 20), named="g"))

    assert [call.name for call in turn.tool_calls] == ["g", "f"]


@pytest.mark.parametrize(
    ("span_name", "tool_name"), [("execute_tool search now", "search"), ("search it", "search it")]
)
def test_a_tool_without_a_name_takes_it_from_its_span_and_that_is_said(span_name, tool_name):
    conversation = read(agent("a"), tool("t", "a", named=None, name=span_name))

    assert conversation.turns[0].tool_calls[0].name == tool_name
    assert conversation.warnings == (
        f"tool span t has no gen_ai.tool.name; used span name token {tool_name!r}",
    )


@pytest.mark.parametrize(
    ("raw", "args"),
    [
        ('{"x": 1}', {"x": 1}),
        ({"x": 1}, {"x": 1}),
        ("[1, 2]", {"value": [1, 2]}),
        ("not json", {"value": "not json"}),
        (5, {"value": 5}),
        (None, None),
    ],
)
def test_arguments_are_an_object_or_unknown(raw, args):
    [call] = only_turn(agent("a"), tool("t", "a", args=raw)).tool_calls

    assert call.args == args


def test_a_tool_fails_by_its_status_or_its_error_type():
    turn = only_turn(
        agent("a"),
        tool("t", "a", (1, 2), error__type="Timeout"),
        tool("u", "a", (3, 4), failed=True),
        tool("v", "a", (5, 6)),
    )

    assert [call.failed for call in turn.tool_calls] == [True, True, False]
    assert turn.tool_calls[0].error == "Timeout"


def test_what_a_span_of_a_tool_lacks_comes_from_the_messages_by_its_id():
    conversation = read(
        agent("a"),
        chat("c1", "a", (0, 10), said=asks(("f", "1", {"x": 1}), ("f", "2", {"x": 2}))),
        tool("t", "a", (20, 25), call_id="2"),
        tool("u", "a", (30, 40), call_id="1"),
        chat("c2", "a", (50, 60), heard=answers(("1", "one"), ("2", '{"n": 2}'))),
    )

    calls = conversation.turns[0].tool_calls
    assert [(call.args, call.response) for call in calls] == [
        ({"x": 1}, "one"),
        ({"x": 2}, {"n": 2}),
    ]
    assert conversation.warnings == ()


def test_calls_that_were_asked_for_together_keep_their_order_whichever_thread_was_faster():
    turn = only_turn(
        agent("a"),
        chat("c1", "a", (0, 10), said=asks(("f", "1", {}), ("g", "2", {}))),
        tool("t", "a", (20, 21), named="g", call_id="2"),
        tool("u", "a", (22, 23), named="f", call_id="1"),
        chat("c2", "a", (30, 40), said=asks(("g", "3", {}))),
        tool("v", "a", (50, 60), named="g", call_id="3"),
    )

    assert [call.call_id for call in turn.tool_calls] == ["1", "2", "3"]


def test_without_ids_spans_and_messages_are_joined_by_name_and_that_is_said():
    conversation = read(
        agent("a"),
        chat("c1", "a", (0, 10), said=asks(("f", "1", {"x": 1}))),
        tool("t", "a", (20, 30)),
        chat("c2", "a", (50, 60), heard=answers(("1", "one"))),
    )

    [call] = conversation.turns[0].tool_calls
    assert (call.args, call.response, call.call_id) == ({"x": 1}, "one", None)
    assert conversation.warnings == (
        "tool f arguments and result joined from message parts by name (call ids differ)",
    )


def test_arguments_that_the_span_tells_too_are_joined_from_nowhere():
    conversation = read(
        agent("a"),
        chat("c1", "a", (0, 10), said=asks(("f", None, 4))),
        tool("t", "a", (20, 30), args="4"),
        chat("c2", "a", (50, 60), heard=answers((None, None))),
    )

    [call] = conversation.turns[0].tool_calls
    assert call.args == {"value": 4}
    assert conversation.warnings == ()


def test_a_call_without_a_span_follows_the_one_asked_for_before_it_and_that_is_said():
    conversation = read(
        agent("a"),
        chat("c", "a", (0, 10), said=asks(("f", "1", {}), ("g", "2", {"y": 1}), ("h", "3", {}))),
        tool("t", "a", (20, 30), named="h", call_id="3"),
        tool("u", "a", (40, 50), named="f", call_id="1"),
    )

    assert [call.name for call in conversation.turns[0].tool_calls] == ["f", "g", "h"]
    assert conversation.warnings == ("tool g appears only in message parts, without a tool span",)


def test_a_call_that_hands_over_needs_no_span():
    conversation = read(
        agent("a"),
        chat("c", "a", (0, 10), said=asks(("f", "1", {}), ("transfer_to_cards", "2", {}))),
        tool("t", "a", (20, 30), named="f", call_id="1"),
    )

    called = [call.name for call in conversation.turns[0].tool_calls]
    assert (called, conversation.warnings) == (["f", "transfer_to_cards"], ())


def test_where_no_tool_has_a_span_the_messages_are_enough():
    conversation = read(
        agent("a"),
        chat("c1", "a", (0, 10), said=asks(("f", None, {"x": 1}), ("f", None, {"x": 2}))),
        chat("c2", "a", (50, 60), heard=answers((None, "one"), (None, "two"))),
    )

    calls = conversation.turns[0].tool_calls
    assert [(call.args["x"], call.response, call.timed) for call in calls] == [
        (1, "one", False),
        (2, "two", False),
    ]
    assert conversation.warnings == ()


NULL = {"type": "tool_call_response", "response": None}


@pytest.mark.parametrize(
    "told",
    [
        [None, "one", "two"],
        ["one", None, "two"],
        ["one", "two", None],
        [None, None, "one"],
        ["one", "one", None],
    ],
)
@pytest.mark.parametrize("null", [NULL, {"type": "tool_call_response"}], ids=["null", "no key"])
def test_a_null_answer_without_an_id_keeps_its_place(told, null):
    parts = [{**NULL, "response": value} if value else null for value in told]

    turn = only_turn(
        agent("a"),
        chat("c1", "a", (0, 10), said=asks(*((name, None, {}) for name in "fgh"))),
        chat("c2", "a", (50, 60), heard=[{"role": "tool", "parts": parts}]),
    )

    assert [call.response for call in turn.tool_calls] == told


def test_a_null_answer_with_a_name_keeps_the_place_among_those_of_its_name():
    parts = [{**NULL, "name": "g"}, {**NULL, "name": "f"}, {**NULL, "name": "f", "response": 2}]

    turn = only_turn(
        agent("a"),
        chat("c1", "a", (0, 10), said=asks(("f", None, {}), ("f", None, {}), ("g", None, {}))),
        chat("c2", "a", (50, 60), heard=[{"role": "tool", "parts": parts}]),
    )

    assert [call.response for call in turn.tool_calls] == [None, 2, None]


@pytest.mark.parametrize("first", ["one", None])
@pytest.mark.parametrize("spans", [True, False], ids=["spans", "messages only"])
def test_where_ids_are_used_again_no_call_has_the_answer_of_another(first, spans):
    asked = asks(("f", "call_0", {}))
    once = [*asked, *answers(("call_0", first))]
    twice = [*once, *asked, *answers(("call_0", "two"))]

    turn = only_turn(
        agent("a"),
        chat("c1", "a", (0, 10), heard=user("q"), said=asked),
        chat("c2", "a", (40, 50), heard=once, said=asked),
        chat("c3", "a", (80, 90), heard=twice, said=assistant("done")),
        *(
            [tool(f"t{at}", "a", (at, at + 9), call_id="call_0") for at in (20, 60)]
            if spans
            else ()
        ),
    )

    assert [call.response for call in turn.tool_calls] == [first, "two"]


def test_an_answer_of_an_earlier_turn_is_not_taken_for_one_of_this():
    history = [*asks(("f", "call_0", {})), *answers(("call_0", "old")), *user("next")]
    again = [*history, *asks(("f", "call_0", {})), *answers(("call_0", "new"))]

    turn = only_turn(
        agent("a"),
        chat("c1", "a", (0, 10), heard=history, said=asks(("f", "call_0", {}))),
        chat("c2", "a", (50, 60), heard=again),
    )

    assert [call.response for call in turn.tool_calls] == ["new"]


def test_an_answer_whose_id_matches_nothing_is_joined_by_order_and_that_is_said():
    conversation = read(
        agent("a"),
        chat("c1", "a", (0, 10), said=asks(("f", "1", {}))),
        chat("c2", "a", (50, 60), heard=answers(("other", "r"))),
    )

    assert conversation.turns[0].tool_calls[0].response == "r"
    assert conversation.warnings == (
        "tool f result joined by order (response id 'other' matches no call)",
    )


# A turn that goes on in another root


@pytest.mark.parametrize(
    ("asked", "told", "turns"),
    [("1", "1", 1), (None, None, 1), ("1", None, 1), ("1", "2", 2)],
)
def test_a_root_that_begins_with_answers_goes_on_with_the_turn_that_asked(asked, told, turns):
    conversation = read(
        chat("c1", at=(0, 100), heard=user("q"), said=asks(("f", asked, {}))),
        chat("c2", at=(200, 300), heard=[*user("q"), *answers((told, "r"))], said=assistant("a")),
    )

    assert len(conversation.turns) == turns
    assert conversation.turns[-1].response == "a"


def test_a_joined_turn_lasts_from_the_first_root_to_the_last():
    turn = only_turn(
        chat("c1", at=(0, 100), heard=user("q"), said=asks(("f", "1", {}))),
        chat("c2", at=(200, 300), heard=answers(("1", "r")), said=asks(("g", "2", {}))),
        chat("c3", at=(400, 500), heard=answers(("2", "s")), said=assistant("a")),
    )

    assert (turn.turn_id, turn.user, turn.response) == ("c1", "q", "a")
    assert (turn.start_ns, turn.end_ns) == (0, 500 * MS)
    assert [call.response for call in turn.tool_calls] == ["r", "s"]


def test_an_agent_never_goes_on_with_the_turn_before_it():
    conversation = read(
        chat("c1", at=(0, 100), heard=user("q"), said=asks(("f", "1", {}))),
        agent("a", at=(150, 400)),
        chat("c2", "a", (200, 300), heard=answers(("1", "r")), said=assistant("a")),
    )

    assert ids(conversation) == ["c1", "a"]


# Which traces are one conversation


def trace(trace_id, at, resource=None, **attributes):
    resource = resource or {}
    last = chat(
        f"{trace_id}-c", at=(at, at + 10), said=assistant("a"), resource=resource, **attributes
    )
    return Trace(trace_id=trace_id, spans=(last,))


def grouped(traces, **how):
    return [conversation.trace_ids for conversation in converse(traces, **how)]


SESSION = {"agentevals.session_name": "s"}


@pytest.mark.parametrize(
    "marks",
    [
        {"resource": SESSION},
        {"gen_ai.conversation.id": "c"},
        {"session.id": "c"},
        {"resource": {"session.id": "c"}},
        {"gen_ai.conversation.id": 7},
    ],
)
def test_traces_of_one_conversation_are_put_together_earliest_first(marks):
    traces = [trace("late", 500, **marks), trace("other", 300), trace("early", 0, **marks)]

    assert grouped(traces, group_by="conversation") == [("early", "late"), ("other",)]


def test_the_session_name_wins_over_the_conversation_id_and_that_over_the_session_id():
    named = {"resource": SESSION, "gen_ai.conversation.id": "x", "session.id": "1"}
    traces = [
        trace("a", 0, **named),
        trace("b", 1, resource=SESSION),
        trace("c", 2, **{"gen_ai.conversation.id": "x", "session.id": "1"}),
        trace("d", 3, **{"gen_ai.conversation.id": "x", "session.id": "2"}),
    ]

    assert grouped(traces, group_by="conversation") == [("a", "b"), ("c", "d")]


@pytest.mark.parametrize(
    "marks",
    [
        {"langfuse.session.id": "talk"},
        {"ai.telemetry.metadata.sessionId": "talk"},
        {"langfuse.trace.metadata.thread_id": '"talk"'},
        {"langfuse.observation.metadata.thread_id": "talk"},
        {"mlflow.trace.session": '"talk"'},
        {"metadata": '{"ls_integration": "x", "thread_id": "talk"}'},
    ],
)
def test_other_systems_name_the_conversation_in_json(marks):
    traces = [trace(name, 0, **marks) for name in ("a", "b")]
    assert grouped(traces, group_by="conversation") == [("a", "b")]

    other = trace("c", 0, metadata='["thread_id", "talk"]')
    assert grouped([*traces, other], group_by="conversation") == [("a", "b"), ("c",)]


@pytest.mark.parametrize("unusable", ["", "line\nbreak", "x" * 257, ["c"], {"a": 1}, True, None])
def test_a_name_that_cannot_be_shown_groups_nothing(unusable):
    traces = [trace(name, 0, **{"gen_ai.conversation.id": unusable}) for name in ("a", "b")]

    assert grouped(traces, group_by="conversation") == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("marks", "how", "conversations"),
    [
        ({"gen_ai.conversation.id": "c"}, {}, 2),
        ({"gen_ai.conversation.id": "c"}, {"multi_turn_expected": True}, 1),
        ({"resource": SESSION}, {}, 1),
        ({"resource": SESSION}, {"group_by": "trace"}, 2),
        ({"gen_ai.conversation.id": "c"}, {"group_by": "trace", "multi_turn_expected": True}, 2),
    ],
)
def test_traces_are_grouped_on_their_own_account_only_where_something_asks_for_it(
    marks, how, conversations
):
    assert len(grouped([trace("a", 0, **marks), trace("b", 1, **marks)], **how)) == conversations


def test_a_grouped_conversation_has_the_name_and_everything_else_its_traces_have():
    first = trace("a", 0, **{"gen_ai.conversation.id": "c"})
    second = trace("b", 10, **{"gen_ai.conversation.id": "c", "agentevals.eval.case.id": "case"})
    first = Trace(trace_id="a", spans=first.spans, sources=("x.json",), warnings=("w2", "w1"))
    second = Trace(trace_id="b", spans=second.spans, sources=("x.json", "y.json"), warnings=("w1",))

    [conversation] = converse([first, second], group_by="conversation")

    assert conversation.conversation_id == "c"
    assert conversation.sources == ("x.json", "y.json")
    assert conversation.warnings == ("w1", "w2")
    assert conversation.case_id == "case"


@pytest.mark.parametrize(
    "fields",
    [
        {"spans": (chat("c", agentevals__eval__case__id="case"),)},
        {"spans": (chat("c", resource={"agentevals.eval.case.id": "case"}),)},
        {"spans": (chat("c"),), "case_id": "case"},
    ],
)
def test_a_trace_can_name_the_case_it_answers(fields):
    [conversation] = converse([Trace(trace_id="t", **fields)])

    assert conversation.case_id == "case"


def test_further_cases_that_a_conversation_names_are_kept():
    spans = [chat("c", agentevals__eval__case__id="a"), chat("d", agentevals__eval__case__id="b")]

    conversation = read(*spans)

    assert (conversation.case_id, conversation.rival_case_ids) == ("a", ("b",))


def test_turns_that_a_loader_found_are_taken_as_they_are():
    turns = (Turn(turn_id="1", user="q", response="a"), Turn(turn_id="2", user="r"))

    [conversation] = converse([Trace(trace_id="t", turns=turns)])

    assert conversation.turns == turns
    assert not conversation.error


def test_turns_that_a_format_records_stay_in_their_order_though_it_knows_no_time_of_some():
    first = (Turn(user="a", start_ns=9), Turn(user="b"), Turn(user="c", start_ns=3))
    second = (Turn(user="d", start_ns=11), Turn(user="e"))
    traces = [
        Trace(trace_id="u", turns=second, session="s"),
        Trace(trace_id="t", turns=first, session="s"),
    ]

    [alone] = converse(traces[1:])
    [both] = converse(traces, group_by="conversation")

    assert [turn.user for turn in alone.turns] == ["a", "b", "c"]
    assert [turn.user for turn in both.turns] == ["a", "b", "c", "d", "e"]


def test_an_empty_transcript_has_no_turns():
    [conversation] = converse([Trace(trace_id="t", turns=())])

    assert conversation.error == NO_TURNS
    assert not conversation.foreign


def test_conversations_come_one_by_one():
    class Endless(list):
        def __len__(self):
            return 2

        def __getitem__(self, number):
            return pytest.fail("read ahead") if number else trace("a", 0)

        def __iter__(self):
            return map(self.__getitem__, range(2))

    assert next(converse(Endless(), group_by="trace")).trace_ids == ("a",)


def test_an_unknown_grouping_is_refused_with_the_nearest_known_name():
    with pytest.raises(InputError, match=r"'traces' \(did you mean 'trace'\?\)"):
        next(converse([], group_by="traces"))


# Hostile traces


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ('[{"role": "user", par}]', "is not valid JSON"),
        ("[" * 100_000, "is nested too deeply to be read"),
        ('["' + "x" * 4 * 1024 * 1024 + '"]', "is longer than 4 MiB and was not read"),
        (5, "is not a list of messages"),
        ([5, None], "holds nothing that is a message"),
    ],
    ids=["no JSON", "deep", "long", "a number", "no messages"],
)
def test_messages_that_cannot_be_read_are_said(raw, problem):
    conversation = read(chat("c", gen_ai__input__messages=raw, said=assistant("a")))

    assert conversation.turns[0].response == "a"
    assert conversation.warnings == (f"span c: gen_ai.input.messages {problem}",)


KEYS = [
    OPERATION,
    "gen_ai.request.model",
    "gen_ai.system",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.usage.input_tokens",
    "gen_ai.tool.name",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
    "gen_ai.prompt.0.role",
    "gen_ai.prompt.0.content",
    "gen_ai.completion.0.tool_calls.0.name",
    "gcp.vertex.agent.llm_request",
    "gcp.vertex.agent.llm_response",
    "traceloop.span.kind",
    "traceloop.entity.input",
    "openinference.span.kind",
    "llm.input_messages.0.message.role",
    "llm.input_messages.0.message.tool_calls.0.tool_call.function.name",
    "llm.token_count.prompt",
    "llm.cost.total",
    "input.value",
    "agentevals.eval.case.id",
    "session.id",
]
OPERATIONS = ["chat", "invoke_agent", "execute_tool", "LLM", "CHAIN", "TOOL", "tool", "workflow"]
FIELDS = ["role", "parts", "content", "tool_calls", "function", "name", "arguments", "type", "id"]
SCALARS = [
    None,
    True,
    -1,
    5,
    1e300,
    float("nan"),
    "",
    "user",
    "text",
    "tool_call",
    "tool",
    "\ud800",
]


def garbage(rng, depth=4):
    kind = rng.randrange(4) if depth else 0
    if kind == 1:
        return [garbage(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind == 2:
        return {rng.choice(FIELDS): garbage(rng, depth - 1) for _ in range(rng.randrange(5))}
    if kind == 3:
        return json.dumps(garbage(rng, depth - 1))
    return rng.choice([*SCALARS, *OPERATIONS])


@pytest.mark.parametrize("seed", range(300))
def test_garbage_in_attributes_never_raises(seed):
    rng = random.Random(seed)
    spans = []
    for number in range(6):
        attributes = {key: garbage(rng) for key in rng.sample(KEYS, 8)}
        if rng.random() < 0.8:
            attributes[OPERATION] = rng.choice(OPERATIONS)
        parent = f"s{rng.randrange(6)}"
        spans.append(span(f"s{number}", parent, (rng.randrange(9), rng.randrange(9)), **attributes))

    conversation = read(*spans)

    assert conversation.turns or conversation.error


def test_a_trace_of_agentv_says_which_test_it_is_unless_it_also_says_which_case():
    test = span("1", agentv__test_id="dice")
    both = span("1", agentv__test_id="dice", agentevals__eval__case__id="rome")

    found = [next(converse([Trace(trace_id="t", spans=(each,))])) for each in (test, both)]

    assert [conversation.case_id for conversation in found] == ["dice", "rome"]


def test_a_recording_that_failed_says_how():
    failed = Trace(trace_id="t", turns=(), error="no key")

    [conversation] = converse([failed])

    assert conversation.error == "no key"
