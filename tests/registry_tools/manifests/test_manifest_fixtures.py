import json
from textwrap import dedent

import pytest

from agentevals_evaluator_sdk.types import InvocationData
from registry_tools.manifests import manifest_fixtures
from registry_tools.manifests.manifest_fixtures import Turn

ONE = """
fixtures:
  - name: hello
    config: {least: 2}
    input:
      invocations:
        - user_content: Weather?
          final_response: Sunny.
          tool_calls:
            - {name: weather, args: {city: Rome}, id: c1, response: {sky: clear}}
            - {name: log}
      expected_invocations: [{final_response: Sun.}]
    expect: {score: 1, status: PASSED}
"""


def read(text):
    return manifest_fixtures.read(dedent(text).lstrip().encode(), "fixtures.yaml")


def test_a_fixture_becomes_what_an_evaluator_reads():
    (fixture,) = read(ONE).fixtures

    message = json.loads(fixture.build_input("judge").model_dump_json())
    turn = message["invocations"][0]
    calls, responses = turn["intermediate_steps"].values()
    assert (message["metric_name"], message["threshold"]) == ("judge", 0.5)
    assert message["config"] == {"least": 2}
    assert (turn["invocation_id"], turn["final_response"]) == ("turn-1", "Sunny.")
    assert [(call["name"], call["args"]) for call in calls] == [
        ("weather", {"city": "Rome"}),
        ("log", {}),
    ]
    assert responses == [
        {
            "name": "weather",
            "output": '{"sky": "clear"}',
            "status": None,
            "id": "c1",
            "response": {"sky": "clear"},
        }
    ]
    assert message["expected_invocations"][0]["final_response"] == "Sun."


def test_the_steps_of_the_protocol_are_sent_as_they_are():
    steps = "{tool_calls: [{name: a}], tool_responses: [{name: a, output: x, status: error}]}"

    text = ONE.replace("user_content: Weather?", f"intermediate_steps: {steps}")
    (fixture,) = read(text[: text.index("          tool_calls:\n")] + TAIL).fixtures

    sent = fixture.build_input("judge").invocations[0].intermediate_steps
    assert (sent.tool_calls[0].name, sent.tool_responses[0].status) == ("a", "error")


TAIL = "    expect: {status: FAILED}\n"


def test_a_fixture_may_lack_what_a_recording_does_not_show():
    gap = "user_content: Weather?\n          completeness: {tool_calls: unknown}"

    (fixture,) = read(ONE.replace("user_content: Weather?", gap)).fixtures

    sent = fixture.build_input("judge").invocations[0]
    assert sent.completeness == {"tool_calls": "unknown"}


def test_a_turn_has_every_field_of_the_protocol():
    assert set(InvocationData.model_fields) == set(Turn.model_fields) - {"tool_calls"}


def test_no_expectation_of_turns_is_not_an_empty_one():
    (fixture,) = read(ONE.replace("[{final_response: Sun.}]", "null")).fixtures

    assert fixture.build_input("judge").expected_invocations is None


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("config:", "confg:", (3, 5), "unknown key 'fixtures[0].confg' (did you mean 'config'?)"),
        ("final_response: Sunny.", "final_respons: Sunny.", (7, 11), "(did you mean 'final_resp"),
        ("{name: log}", "{nmae: log}", (10, 15), "write it instead of 'nmae'"),
        ("args: {city: Rome}", "args: Rome", (9, 37), "must be a mapping, not 'Rome'"),
        ("score: 1,", "score: 2,", (12, 21), "must be at most 1, not 2"),
        ("score: 1,", "score: true,", (12, 21), "must be a number, not true"),
        ("PASSED", "PASED", (12, 32), "must be 'PASSED', 'FAILED' or 'NOT_EVALUATED', not"),
        ("score: 1, status: PASSED", "tolerance: 1", (12, 13), "neither a score nor a status"),
        ("user_content: Weather?", "intermediate_steps: {}", (6, 11), "write one of them"),
        ("name: hello", "name: yes", (2, 11), "is not the same for every reader of YAML"),
        ("fixtures:", "fixture:", (1, 1), "'fixtures' is missing; write it instead of 'fixture'"),
        ("  - name: hello", "  - name: ''", (2, 11), "'fixtures[0].name' must not be empty"),
    ],
)
def test_a_mistake_has_its_place(old, new, place, message):
    problems = read(ONE.replace(old, new)).problems

    told = [f"{one.line}:{one.column}: {one.message}" for one in problems]
    line, column = place
    assert [one for one in told if one.startswith(f"{line}:{column}: ") and message in one], told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fixtures: []\n", "must not be empty"),
        ("[1]\n", "the file must be a mapping"),
        ("fixtures: [\n", "not valid YAML"),
        ("", "there is nothing in the file; write a fixture"),
    ],
)
def test_a_file_that_holds_nothing_to_run(text, message):
    result = read(text)

    assert not result.fixtures
    assert message in result.problems[0].message


def test_every_mistake_is_told_at_once():
    text = ONE.replace("config:", "confg:").replace("score: 1,", "score: 2,")

    assert len(read(text).problems) == 2


def test_a_name_is_given_once():
    problem = read(ONE + ONE.replace("\nfixtures:\n", "")).problems[0]

    assert (problem.line, problem.column) == (13, 11)
    assert "called 'hello' is there already" in problem.message


def test_a_file_without_end_is_not_read():
    problems = manifest_fixtures.read(
        b"a" * (manifest_fixtures.LARGEST + 1), "fixtures.yaml"
    ).problems

    assert "has more than" in problems[0].message
