import pytest
from pydantic import ValidationError

from agentevals.configs.eval_sets.adk_eval_set import EvalCase, EvalSet
from agentevals.model.cases import Rubric, Scenario
from agentevals.model.conversations import ToolCall


def said(text):
    return {"role": "user", "parts": [{"text": text}]}


def turn(**fields):
    written = {"user_content": said("q"), **fields}
    [found] = EvalCase(eval_id="c", conversation=[written]).expectation().turns
    return found


def test_a_turn_is_what_was_said_called_and_answered():
    found = turn(
        invocation_id="i",
        final_response={"parts": [{"text": "in"}, {"text": "Bremen"}]},
        intermediate_data={
            "tool_uses": [{"name": "find", "args": {"order": 7}, "id": "1"}],
            "tool_responses": [{"name": "find", "response": {"city": "Bremen"}, "id": "1"}],
            "intermediate_responses": [["agent", [{"text": "looking"}]]],
        },
    )

    assert (found.turn_id, found.user, found.response) == ("i", "q", "in\nBremen")
    assert found.intermediate == ("looking",)
    assert found.tool_calls == (
        ToolCall(
            name="find",
            args={"order": 7},
            call_id="1",
            response={"city": "Bremen"},
            answered=True,
        ),
    )


def test_the_id_of_an_answer_is_kept_where_the_call_has_none():
    found = turn(
        intermediate_data={
            "tool_uses": [{"name": "find", "args": {}}],
            "tool_responses": [{"name": "find", "response": {"city": "Bremen"}, "id": "e0"}],
        }
    )

    [call] = found.tool_calls
    assert (call.call_id, call.answer_id) == (None, "e0")


def test_camel_case_says_the_same():
    snake = turn(intermediate_data={"tool_uses": [{"name": "a", "args": {}}]})
    [camel] = (
        EvalCase.model_validate(
            {
                "evalId": "c",
                "conversation": [
                    {
                        "userContent": said("q"),
                        "intermediateData": {"toolUses": [{"name": "a", "args": {}}]},
                    }
                ],
            }
        )
        .expectation()
        .turns
    )

    assert camel == snake


@pytest.mark.parametrize("call", ["function_call", "functionCall"])
def test_events_of_an_invocation_hold_calls_responses_and_texts(call):
    events = [
        {"author": "a", "content": {"parts": [{call: {"name": "x", "args": {"n": 1}}}]}},
        {"author": "a", "content": {"parts": [{"text": "hm"}]}, "usage_metadata": {}},
        {
            "author": "a",
            "content": {"parts": [{"function_response": {"name": "x", "response": {"r": 2}}}]},
        },
        {"author": "a"},
    ]

    found = turn(intermediate_data={"invocation_events": events})

    assert [(c.name, c.args, c.response) for c in found.tool_calls] == [("x", {"n": 1}, {"r": 2})]
    assert found.intermediate == ("hm",)


def test_responses_go_to_the_call_of_their_id_else_of_their_name_in_order():
    found = turn(
        intermediate_data={
            "tool_uses": [
                {"name": "a", "args": {}, "id": "1"},
                {"name": "a", "args": {}, "id": "2"},
                {"name": "b", "args": {}},
                {"name": "b", "args": {}},
                {"name": "b", "args": {}},
            ],
            "tool_responses": [
                {"name": "a", "response": "second", "id": "2"},
                {"name": "b", "response": "third"},
                {"name": "b", "response": None},
            ],
        }
    )

    assert [(c.response, c.answered) for c in found.tool_calls] == [
        (None, False),
        ("second", True),
        ("third", True),
        (None, True),
        (None, False),
    ]


@pytest.mark.parametrize(
    ("written", "args"), [({}, None), ({"args": None}, None), ({"args": {}}, {})]
)
def test_arguments_that_are_not_stated_are_not_no_arguments(written, args):
    found = turn(intermediate_data={"tool_uses": [{"name": "a", **written}]})

    assert found.tool_calls[0].args == args


@pytest.mark.parametrize("data", [{}, None])
def test_no_intermediate_data_is_no_calls(data):
    assert turn(intermediate_data=data).tool_calls == ()


@pytest.mark.parametrize(
    ("response", "text"),
    [(None, None), ({"parts": None}, ""), ({"parts": [{"thought": True}]}, "")],
)
def test_no_response_is_not_an_empty_one(response, text):
    assert turn(final_response=response).response == text


def test_rubrics_of_the_case_and_of_a_turn():
    def rubric(name, **fields):
        return {"rubric_id": name, "rubric_content": {"text_property": f"is {name}"}, **fields}

    written = EvalCase(
        eval_id="c",
        rubrics=[rubric("kind", type="FINAL_RESPONSE_QUALITY")],
        conversation=[
            {"user_content": said("a")},
            {"user_content": said("b"), "rubrics": [rubric("short")]},
        ],
    )

    assert written.expectation().rubrics == (
        Rubric(rubric_id="kind", text="is kind", kind="FINAL_RESPONSE_QUALITY"),
        Rubric(rubric_id="short", text="is short", turn=1),
    )


@pytest.mark.parametrize(
    ("persona", "text"),
    [(None, ""), ("NOVICE", "NOVICE"), ({"id": "x", "description": "a cook"}, "a cook")],
)
def test_a_scenario_has_no_turns(persona, text):
    written = {"starting_prompt": "hi", "conversation_plan": "buy", "user_persona": persona}

    found = EvalCase(eval_id="c", conversation_scenario=written).expectation()

    assert found.turns is None
    assert found.opening == "hi"
    kept = {key: value for key, value in written.items() if value is not None}
    assert found.scenario == Scenario(opening="hi", plan="buy", persona=text, written=kept)


def test_a_key_that_nobody_knows_carries_nothing_where_it_is_null():
    part = {"text": "a", "ofAReleaseToCome": None}
    told = {"user_content": {"parts": [part], "of_another": None}, "and_another": None}

    [found] = EvalCase(eval_id="c", conversation=[told]).expectation().turns

    assert found.invocation == {"user_content": {"parts": [{"text": "a"}]}}
    part["ofAReleaseToCome"] = 0
    with pytest.raises(ValidationError, match="ofAReleaseToCome"):
        EvalCase(eval_id="c", conversation=[told])


def test_what_was_said_on_the_way_calls_no_tool():
    said = [["sub_agent", [{"function_call": {"name": "b"}}, {"text": "so"}]]]
    data = {"tool_uses": [{"name": "a"}], "intermediate_responses": said}

    [found] = (
        EvalCase(eval_id="c", conversation=[{"user_content": {}, "intermediate_data": data}])
        .expectation()
        .turns
    )

    assert [call.name for call in found.tool_calls] == ["a"]
    assert found.intermediate == ("so",)


def test_a_turn_is_kept_as_it_stands_without_what_is_null():
    told = {
        "userContent": {
            "parts": [{"text": "a", "thought": None}, {"inlineData": {"data": "aGk="}}]
        },
        "intermediateData": {"toolUses": [{"name": "t", "args": {"x": None}}]},
        "appDetails": None,
    }

    [found] = EvalCase(eval_id="c", conversation=[told]).expectation().turns

    assert found.invocation == {
        "user_content": {"parts": [{"text": "a"}, {"inline_data": {"data": "aGk="}}]},
        "intermediate_data": {"tool_uses": [{"name": "t", "args": {"x": None}}]},
    }


def test_an_empty_conversation_is_accepted():
    assert EvalCase(eval_id="c", conversation=[]).expectation().turns == ()


def whole(**case):
    return {"eval_set_id": "s", "eval_cases": [{"eval_id": "c", **case}]}


def spoken(**invocation):
    return whole(conversation=[{"user_content": said("q"), **invocation}])


@pytest.mark.parametrize(
    "written",
    [
        spoken(invocation_id="i", creation_timestamp=1.5, app_details={}),
        {**spoken(), "anything": 1, "name": "n", "description": None},
        whole(conversation=[{"user_content": said("q")}], anything=1),
        whole(conversation=[], session_input={"app_name": "a", "user_id": "u"}),
        whole(conversation=[], final_session_state={"a": 1}),
        {"eval_set_id": "s", "eval_cases": []},
    ],
)
def test_what_adk_accepts(written):
    accepted = EvalSet.model_validate(written)

    assert accepted.eval_set_id == written["eval_set_id"]
    assert len(accepted.eval_cases) == len(written["eval_cases"])


@pytest.mark.parametrize(
    "written",
    [
        {"evalSetId": "s", "evalCases": []},
        {"eval_set_id": "s"},
        {"eval_cases": []},
        spoken(anything=1),
        spoken(final_response="text"),
        spoken(final_response={"parts": [{"txt": "a"}]}),
        spoken(intermediate_data={"tool_uses": [], "invocation_events": []}),
        spoken(intermediate_data={"tools": []}),
        spoken(intermediate_data={"tool_uses": [{"args": {}}]}),
        spoken(intermediate_data={"tool_uses": [{"name": "a", "arguments": {}}]}),
        spoken(rubrics=[{"rubric_id": "r"}]),
        whole(conversation=[{"final_response": said("a")}]),
        whole(conversation=[{"user_content": None}]),
        whole(),
        whole(
            conversation=[], conversation_scenario={"starting_prompt": "", "conversation_plan": ""}
        ),
        whole(conversation_scenario={"starting_prompt": "a"}),
        whole(
            conversation_scenario={
                "starting_prompt": "a",
                "conversation_plan": "b",
                "user_persona": "KING",
            }
        ),
        whole(conversation=[], session_input={"user_id": "u"}),
    ],
)
def test_what_adk_refuses(written):
    with pytest.raises(ValidationError):
        EvalSet.model_validate(written)
