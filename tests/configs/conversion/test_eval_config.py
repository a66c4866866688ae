import json

import pytest
import yaml

from agentevals.configs.conversion import Source, eval_config
from agentevals.configs.dialects import compile_plan


@pytest.fixture
def converted(tmp_path):
    def of_text(text, folder="."):
        path = tmp_path / "EVAL.yaml"
        path.write_text(text)
        source = Source(plan=compile_plan(path), path=path, folder=tmp_path / folder)
        return eval_config.convert(source)

    return of_text


def test_a_test_that_expects_nothing_leaves_calls_and_answer_open(converted):
    made = converted("assert: [{type: contains, value: x}]\ntests: [{id: a, input: q}]")

    [case] = json.loads(made.files["eval_set.json"])["eval_cases"]
    [turn] = case["conversation"]
    assert turn.keys() == {"invocation_id", "user_content"}
    assert made.lost == ()


def test_without_evaluators_for_all_there_is_only_an_eval_set(converted):
    check = "assert: [{type: contains, value: %s}]"
    made = converted(
        f"tests: [{{id: a, input: q, {check % 'x'}}}, {{id: b, input: r, {check % 'y'}}}]"
    )

    assert list(made.files) == ["eval_set.json"]
    assert made.lost[0] == "no evaluator judges every test, so there is no config, only an eval set"


def test_evaluators_that_every_test_has_alike_are_those_of_the_config(converted):
    same = "assert: [{type: contains, value: x}]"
    alike = converted(f"tests: [{{id: a, input: q, {same}}}, {{id: b, input: r, {same}}}]")
    alone = converted(
        f"assert: [{{type: is_json}}]\ntests: [{{id: a, input: q, {same}, "
        "execution: {skip_defaults: true}}]"
    )

    assert yaml.safe_load(alike.files["eval_config.yaml"])["evaluators"][0]["value"] == "x"
    assert alike.lost == ()
    assert [e["type"] for e in yaml.safe_load(alone.files["eval_config.yaml"])["evaluators"]] == [
        "is_json"
    ]
    assert alone.lost[0] == "evaluators that only one test has: 'a'"


def test_what_a_single_test_has_to_reach_is_named(converted):
    made = converted(
        "assert: [{type: is_json}]\n"
        "tests: [{id: a, input: q, execution: {threshold: 0.5}}, {id: b, input: r}]"
    )

    assert made.lost == ("a threshold of its own: 'a'",)


def test_evaluators_in_evaluators_and_long_texts_are_written_as_people_would(converted):
    made = converted(
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


def test_programs_do_not_move_with_their_config_and_paths_do(converted):
    text = (
        "assert: [{name: p, type: code_judge, command: [python3, p.py], cwd: judges}]\n"
        "traces: [runs/*.jsonl]\ntests: [{id: a, input: q}]"
    )
    moved, beside = converted(text, "out"), converted(text)

    written = yaml.safe_load(moved.files["eval_config.yaml"])
    assert written["traces"] == ["../runs/*.jsonl"]
    assert written["evaluators"][0]["cwd"] == "../judges"
    assert "what its command names lies in" in moved.lost[0]
    assert beside.lost == ()
