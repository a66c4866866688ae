import json

import pytest
import yaml

from agentevals.configs.conversion import Source, eval_file
from agentevals.configs.dialects import compile_plan
from agentevals.model.errors import InputError

CONFIG = "evaluators: [{name: response_match_score, type: builtin, threshold: 0.7}]\n"
TURN = {
    "user_content": {"parts": [{"text": "Where?"}]},
    "final_response": {"parts": [{"text": "There."}]},
}
RUBRIC = {"rubric_id": "r", "rubric_content": {"text_property": "kind"}}


@pytest.fixture
def converted(tmp_path):
    def of_cases(*cases):
        (tmp_path / "e.json").write_text(json.dumps({"eval_set_id": "e", "eval_cases": cases}))
        path = tmp_path / "eval_config.yaml"
        path.write_text(f"eval_set: e.json\n{CONFIG}")
        return eval_file.convert(Source(plan=compile_plan(path), path=path, folder=tmp_path))

    return of_cases


def test_a_case_passes_where_every_evaluator_does(converted):
    whole = yaml.safe_load(converted({"eval_id": "a", "conversation": [TURN]}).files["EVAL.yaml"])

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

    made = eval_file.convert(Source(plan=compile_plan(path), path=path, folder=tmp_path))

    assert [entry["required"] for entry in yaml.safe_load(made.files["EVAL.yaml"])["assert"]] == [
        0.9
    ]


def test_what_an_eval_file_has_no_word_for_is_named(converted):
    scenario = {"starting_prompt": "Hi", "conversation_plan": "Say goodbye"}
    made = converted(
        {"eval_id": "a", "conversation": [TURN], "rubrics": [RUBRIC]},
        {"eval_id": "b", "conversation_scenario": scenario},
    )

    assert made.lost == (
        "case 'a': its rubrics, which other types of evaluator read than in an EVAL file",
        "case 'b': the scenario of a simulated user",
    )


def test_without_cases_there_is_nothing_to_test(converted):
    with pytest.raises(InputError, match="names no eval set with cases"):
        converted()
