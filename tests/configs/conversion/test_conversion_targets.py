import json

import pytest
import yaml

from agentevals.configs.conversion import Source, conversion_targets
from agentevals.configs.dialects import compile_plan
from agentevals.model.errors import InputError


@pytest.fixture
def eval_config(tmp_path):
    def of_text(text, folder="."):
        path = tmp_path / "EVAL.yaml"
        path.write_text(text)
        source = Source(plan=compile_plan(path), path=path, folder=tmp_path / folder)
        return conversion_targets.write_eval_config(source)

    return of_text


@pytest.mark.parametrize("folder", [".", "elsewhere"])
def test_the_files_of_the_agent_are_the_same_from_wherever_the_result_lies(
    eval_config, tmp_path, folder
):
    (tmp_path / "agent.py").write_text("x")
    (tmp_path / "elsewhere").mkdir()
    made = eval_config(
        "x-agentevals: {agent: [agent.py, '!tests']}\n"
        "assert: [{type: contains, value: x}]\ntests: [{id: a, input: q}]",
        folder,
    )
    result = tmp_path / folder / "eval_config.yaml"
    for name, text in made.files.items():
        (tmp_path / folder / name).write_text(text)
    again = conversion_targets.write_eval_file(
        Source(plan=compile_plan(result), path=result, folder=tmp_path)
    )

    start = "" if folder == "." else "../"
    assert yaml.safe_load(made.files["eval_config.yaml"])["agent"] == [
        f"{start}agent.py",
        f"!{start}tests",
    ]
    assert yaml.safe_load(again.files["EVAL.yaml"])["x-agentevals"] == {
        "agent": ["agent.py", "!tests"]
    }


def test_a_test_that_expects_nothing_leaves_calls_and_answer_open(eval_config):
    made = eval_config("assert: [{type: contains, value: x}]\ntests: [{id: a, input: q}]")

    [case] = json.loads(made.files["eval_set.json"])["eval_cases"]
    [turn] = case["conversation"]
    assert turn.keys() == {"invocation_id", "user_content"}
    assert made.lost == ()


def test_without_evaluators_for_all_there_is_only_an_eval_set(eval_config):
    check = "assert: [{type: contains, value: %s}]"
    made = eval_config(
        f"tests: [{{id: a, input: q, {check % 'x'}}}, {{id: b, input: r, {check % 'y'}}}]"
    )

    assert list(made.files) == ["eval_set.json"]
    assert made.lost[0] == "no evaluator judges every test, so there is no config, only an eval set"


def test_evaluators_that_every_test_has_alike_are_those_of_the_config(eval_config):
    same = "assert: [{type: contains, value: x}]"
    alike = eval_config(f"tests: [{{id: a, input: q, {same}}}, {{id: b, input: r, {same}}}]")
    alone = eval_config(
        f"assert: [{{type: is_json}}]\ntests: [{{id: a, input: q, {same}, "
        "execution: {skip_defaults: true}}]"
    )

    assert yaml.safe_load(alike.files["eval_config.yaml"])["evaluators"][0]["value"] == "x"
    assert alike.lost == ()
    assert [e["type"] for e in yaml.safe_load(alone.files["eval_config.yaml"])["evaluators"]] == [
        "is_json"
    ]
    assert alone.lost[0] == "evaluators that only one test has: 'a'"


def test_what_a_single_test_has_to_reach_is_named(eval_config):
    made = eval_config(
        "assert: [{type: is_json}]\n"
        "tests: [{id: a, input: q, execution: {threshold: 0.5}}, {id: b, input: r}]"
    )

    assert made.lost == ("a threshold of its own: 'a'",)


def test_evaluators_in_evaluators_and_long_texts_are_written_as_people_would(eval_config):
    made = eval_config(
        "assert:\n- type: composite\n  name: both\n  assertions:\n"
        "  - {name: inner, type: equals, value: x}\n"
        "  - {name: judged, type: llm_judge, prompt: 'Judge\n\n    {{answer}}'}\n"
        "  aggregator: {type: minimum}\n"
        "judge: {model: gpt-5-mini}\ntests: [{id: a, input: q}]"
    )

    text = made.files["eval_config.yaml"]
    [both] = yaml.safe_load(text)["evaluators"]
    children = next(value for value in both.values() if isinstance(value, list))
    assert [(child["name"], child["type"]) for child in children] == [
        ("inner", "equals"),
        ("judged", "llm_judge"),
    ]
    assert "prompt: |" in text


def test_programs_do_not_move_with_their_config_and_paths_do(eval_config):
    text = (
        "assert: [{name: p, type: code_judge, command: [python3, p.py], cwd: judges}]\n"
        "traces: [runs/*.jsonl]\ntests: [{id: a, input: q}]"
    )
    moved, beside = eval_config(text, "out"), eval_config(text)

    written = yaml.safe_load(moved.files["eval_config.yaml"])
    assert written["traces"] == ["../runs/*.jsonl"]
    assert written["evaluators"][0]["cwd"] == "../judges"
    assert "what its command names lies in" in moved.lost[0]
    assert beside.lost == ()


@pytest.mark.parametrize(
    ("aggregator", "lost"), [("{type: minimum}", 0), ("{type: code_judge, path: python3 p.py}", 1)]
)
def test_a_composite_without_a_program_moves_with_its_config(eval_config, aggregator, lost):
    text = (
        "assert:\n- type: composite\n  name: both\n"
        "  assertions: [{name: a, type: contains, value: x}]\n"
        f"  aggregator: {aggregator}\ntests: [{{id: a, input: q}}]"
    )

    assert len(eval_config(text, "out").lost) == lost


CONFIG = "evaluators: [{name: response_match_score, type: builtin, threshold: 0.7}]\n"
TURN = {
    "user_content": {"parts": [{"text": "Where?"}]},
    "final_response": {"parts": [{"text": "There."}]},
}
RUBRIC = {"rubric_id": "r", "rubric_content": {"text_property": "kind"}}


@pytest.fixture
def eval_file(tmp_path):
    def of_cases(*cases):
        (tmp_path / "e.json").write_text(json.dumps({"eval_set_id": "e", "eval_cases": cases}))
        path = tmp_path / "eval_config.yaml"
        path.write_text(f"eval_set: e.json\n{CONFIG}")
        return conversion_targets.write_eval_file(
            Source(plan=compile_plan(path), path=path, folder=tmp_path)
        )

    return of_cases


def test_a_case_passes_where_every_evaluator_does(eval_file):
    whole = yaml.safe_load(eval_file({"eval_id": "a", "conversation": [TURN]}).files["EVAL.yaml"])

    assert whole["gate"] == {"pass_at": 0.0, "borderline_at": 0.0}
    assert [entry["required"] for entry in whole["assert"]] == [0.7]
    assert whole["tests"] == [{"id": "a", "input": "Where?", "expected_output": "There."}]


def test_what_is_required_stays_so_where_it_is_more_than_the_threshold(tmp_path):
    (tmp_path / "e.json").write_text(
        json.dumps({"eval_set_id": "e", "eval_cases": [{"eval_id": "a", "conversation": [TURN]}]})
    )
    path = tmp_path / "eval_config.yaml"
    path.write_text(
        f"eval_set: e.json\n{CONFIG.replace('threshold: 0.7', 'threshold: 0.7, required: 0.9')}"
    )

    made = conversion_targets.write_eval_file(
        Source(plan=compile_plan(path), path=path, folder=tmp_path)
    )

    assert [entry["required"] for entry in yaml.safe_load(made.files["EVAL.yaml"])["assert"]] == [
        0.9
    ]


def test_what_an_eval_file_has_no_word_for_is_named(eval_file):
    scenario = {"starting_prompt": "Hi", "conversation_plan": "Say goodbye"}
    made = eval_file(
        {"eval_id": "a", "conversation": [TURN], "rubrics": [RUBRIC]},
        {"eval_id": "b", "conversation_scenario": scenario},
    )

    assert made.lost == (
        "case 'a': its rubrics, which other types of evaluator read than in an EVAL file",
        "case 'b': the scenario of a simulated user",
    )


def test_without_cases_there_is_nothing_to_test(eval_file):
    with pytest.raises(InputError, match="names no eval set with cases"):
        eval_file()
