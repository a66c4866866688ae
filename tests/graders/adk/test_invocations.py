"""What a metric function of ADK is given: the turns as they were recorded."""

from agentevals.graders.adk.adk_function import describe_case
from agentevals.model.cases import Case, Rubric, Scenario
from agentevals.model.conversations import ToolCall
from tests.support import case, conversation, turn

RECORDED = {
    "invocation_id": "i",
    "user_content": {"parts": [{"text": "hi"}], "role": "user"},
    "final_response": {"parts": [{"text": "Hello "}, {"text": "hm", "thought": True}]},
    "intermediate_data": {
        "invocation_events": [
            {"author": "sub_agent", "content": {"parts": [{"function_call": {"name": "t"}}]}}
        ]
    },
    "app_details": {"agent_details": {"a": {"name": "a", "tool_declarations": [{"x": None}]}}},
    "creation_timestamp": 1.5,
    "duration": 2.5,
}


def test_a_recorded_turn_is_given_as_it_stands():
    recorded = turn("Hello", invocation=RECORDED)

    told = describe_case(Case(conversation=conversation(recorded), expected=(recorded,)))

    assert told == {"actual": [RECORDED], "expected": [RECORDED], "scenario": None}


def test_what_is_null_is_left_out_unless_it_is_the_users_own_value():
    call = {"name": "t", "args": {"x": None}, "id": None, "of_a_release_to_come": None}
    part = {"functionCall": call, "audioTranscription": None, "partMetadata": {"k": None}}
    recorded = {"userContent": {"parts": [part]}, "finalResponse": None}

    [told] = describe_case(Case(conversation=conversation(turn(invocation=recorded))))["actual"]

    assert told == {
        "userContent": {
            "parts": [
                {
                    "functionCall": {"name": "t", "args": {"x": None}},
                    "partMetadata": {"k": None},
                }
            ]
        }
    }


def test_rubrics_of_the_case_come_with_each_recorded_turn_and_those_of_a_turn_with_its_own():
    rubrics = (
        Rubric(rubric_id="all", text="Is kind.", kind="TOOL_USE_QUALITY"),
        Rubric(rubric_id="second", text="Is short.", turn=1),
    )
    known = {"user_content": {}, "rubrics": [{"rubricId": "all", "rubricContent": {}}]}
    turns = (turn(), turn(invocation=known))

    first, second = describe_case(Case(conversation=conversation(*turns), rubrics=rubrics))[
        "actual"
    ]

    text = {"text_property": "Is kind."}
    assert first["rubrics"] == [
        {"rubric_id": "all", "rubric_content": text, "type": "TOOL_USE_QUALITY"}
    ]
    assert [one.get("rubric_id", one.get("rubricId")) for one in second["rubrics"]] == [
        "all",
        "second",
    ]


def test_a_turn_of_another_format_is_told_in_the_words_of_adk():
    calls = (
        ToolCall(name="t", args={"a": 1}, call_id="c", response="sunny", answered=True),
        ToolCall(name="u", args=None, failed=True, error="down"),
    )
    recorded = turn("yes", user="q", tool_calls=calls, intermediate=("so",), agent="a")

    [told] = describe_case(Case(conversation=conversation(recorded)))["actual"]

    assert told["final_response"] == {"role": "model", "parts": [{"text": "yes"}]}
    assert told["intermediate_data"] == {
        "tool_uses": [
            {"id": "c", "name": "t", "args": {"a": 1}},
            {"id": None, "name": "u", "args": None},
        ],
        "tool_responses": [
            {"id": "c", "name": "t", "response": {"result": "sunny"}},
            {"id": None, "name": "u", "response": {"error": "down"}},
        ],
        "intermediate_responses": [["a", [{"text": "so"}]]],
    }


def test_a_scenario_is_given_as_it_is_written():
    persona = {"id": "p", "description": "d", "behaviors": []}
    written = {"starting_prompt": "a", "conversation_plan": "b", "user_persona": persona}
    told = [
        describe_case(case(scenario=scenario))["scenario"]
        for scenario in (Scenario(opening="a", plan="b"), Scenario(opening="a", written=written))
    ]

    assert told == [{"starting_prompt": "a", "conversation_plan": "b"}, written]
