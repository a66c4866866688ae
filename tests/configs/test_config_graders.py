"""`config:` of an evaluator holds settings, for every type that there is."""

import json

import pytest
from jsonschema import Draft202012Validator

from agentevals.configs.dialects import compile_plan
from agentevals.configs.dialects.agentevals.eval_config_schema import schema
from agentevals.graders import BUILTINS, GRADERS
from agentevals.graders.llm.llm_judge import PromptProgram
from agentevals.model.errors import ConfigError

COMMON = {"weight": 2.5, "required": 0.4, "negate": True}
TEXT, TEXTS = {"value": "x"}, {"value": ["x", "y"]}
ASKED = {"judge_model": "m", "num_samples": 3}
RUBRICS = {"rubrics": ["is polite", "is short"]}
OF_UIPATH = {"expected_output": {"a": 1}, "target_output_key": "a"}
CLASSES = {"expected_class": "a", "f_value": 2}
BEHAVIOUR = {"prompt": "{{AgentRunHistory}}", "expected_agent_behavior": "asks"}
CHILDREN = {"evaluators": [{"type": "contains", "config": {"value": "x"}}, {"type": "is_json"}]}
SIMILARITY = {"type": "text_similarity", "evaluation_metric": "rouge_l"}

# settings of every type whose `config` is nothing else than settings
SETTINGS = {
    "openai_eval": {"grader": SIMILARITY, "timeout": 9},
    "tool_trajectory_avg_score": {"trajectory_match_type": "IN_ORDER", "threshold": 0.9},
    "response_match_score": {"threshold": 0.9, "include_intermediate_responses_in_final": True},
    "response_evaluation_score": ASKED,
    "final_response_match_v2": ASKED,
    "hallucinations_v1": {**ASKED, "evaluate_intermediate_nl_responses": True},
    "safety_v1": ASKED,
    "multi_turn_task_success_v1": ASKED,
    "multi_turn_trajectory_quality_v1": ASKED,
    "multi_turn_tool_use_quality_v1": ASKED,
    "rubric_based_final_response_quality_v1": {**ASKED, **RUBRICS},
    "rubric_based_tool_use_quality_v1": RUBRICS,
    "rubric_based_multi_turn_trajectory_quality_v1": RUBRICS,
    "per_turn_user_simulator_quality_v1": {"stop_signal": "bye"},
    "tool_call_count_v1": {"max": 3, "per": "turn"},
    "inference_call_count_v1": {"max": 3},
    "token_usage_v1": {"max": 3, "count": "input"},
    "invocation_duration_v1": {"max": 3},
    "cost_v1": {"max": 3, "prices": {"m": {"input": 1, "output": 2}}},
    "contains": {**TEXT, "threshold": 0.9},
    "llm_judge": {"prompt": "Is {{answer}} right?", "maxSteps": 3, "temperature": 0.5},
    "rubric": {"criteria": ["is polite"], "target": "strict"},
    "contains_any": TEXTS,
    "contains_all": TEXTS,
    "icontains": TEXT,
    "icontains_any": TEXTS,
    "icontains_all": TEXTS,
    "starts_with": TEXT,
    "ends_with": TEXT,
    "regex": {"value": "^x$", "flags": "i"},
    "is_json": {"threshold": 0.9},
    "equals": TEXT,
    "latency": {"threshold": 5000, "pass_threshold": 0.9},
    "cost": {"budget": 0.5},
    "token_usage": {"max_input": 5, "maxOutput": 6},
    "execution_metrics": {"max_tool_calls": 3, "maxTokens": 9},
    "composite": {**CHILDREN, "aggregator": {"type": "minimum"}},
    "assert_set": CHILDREN,
    "similar": TEXT,
    "tool_trajectory": {"mode": "exact", "expected": [{"tool": "search"}]},
    "field_accuracy": {"fields": [{"path": "a"}], "aggregation": "minimum"},
    "skill_trigger": {"skill": "commit", "should_trigger": False},
    "skill_used": TEXT,
    "trajectory_tool_used": TEXT,
    "trajectory_tool_sequence": {"value": ["a", "b"]},
    "trajectory_tool_args_match": {"value": {"name": "a", "args": {"x": 1}}},
    "trajectory_step_count": {"value": {"max": 3}},
    "trajectory_goal_success": {"value": "booked", **ASKED},
    "uipath_exact_match": {**OF_UIPATH, "case_sensitive": True},
    "uipath_contains": {"search_text": "x", "case_sensitive": True},
    "uipath_json_similarity": OF_UIPATH,
    "uipath_tool_call_order": {"tool_calls_order": ["a", "b"], "strict": True},
    "uipath_tool_call_count": {"tool_calls_count": {"a": [">", 1]}, "strict": True},
    "uipath_tool_call_args": {"tool_calls": [{"name": "a", "args": {}}], "strict": True},
    "uipath_tool_call_output": {"tool_outputs": [{"name": "a", "output": "x"}], "strict": True},
    "uipath_binary_classification": {**CLASSES, "positive_class": "a"},
    "uipath_multiclass_classification": {**CLASSES, "classes": ["a", "b"]},
    "uipath_llm_judge_output_semantic_similarity": {**OF_UIPATH, **ASKED},
    "uipath_llm_judge_output_strict_json_similarity": {**OF_UIPATH, **ASKED},
    "uipath_llm_judge_trajectory_similarity": BEHAVIOUR,
    "uipath_llm_judge_trajectory_simulation": BEHAVIOUR,
    "uipath_legacy_exact_match": OF_UIPATH,
    "uipath_legacy_json_similarity": OF_UIPATH,
    "uipath_legacy_csv_exact_match": {"target_sub_output_key": "a", "expected_output": "a"},
    "adk_function": {"function": "metrics.short", "timeout": 9, "criterion": {"threshold": 0.3}},
}
# settings that name the program to which `config` is handed
PROGRAMS = {
    "code": {"path": "judge.py"},
    "remote": {"ref": "evaluators/judge/judge.py"},
    "code_judge": {"command": ["python3", "judge.py"]},
    "uipath_class": {"path": "judge.py"},
    "llm_judge": {"prompt": {"command": ["python3", "prompt.py"]}},
}
# a type that is not listed is tried with a value for each setting that it needs
VALUES = {"string": "x", "integer": 1, "number": 0.5, "boolean": True, "array": ["x"]}


def sample(kind):
    schema = GRADERS[kind].model_json_schema(by_alias=False)
    needed = (name for name in schema.get("required", ()) if name != "name")
    return {name: VALUES[schema["properties"][name]["type"]] for name in needed}


SETTINGS |= {kind: sample(kind) for kind in GRADERS.ours if kind not in {*SETTINGS, *PROGRAMS}}


@pytest.fixture
def grader(tmp_path):
    for name in ("judge.py", "prompt.py", "metrics.py"):
        (tmp_path / name).touch()

    def of_entry(kind, written, name="eval_config.yaml"):
        named = kind if kind in BUILTINS else "ours"
        entry = {"name": named, "type": kind, **written}
        (tmp_path / name).write_text(json.dumps({"evaluators": [entry]}))
        [made] = compile_plan(tmp_path / name).graders
        return made

    return of_entry


@pytest.fixture
def problems(tmp_path):
    def of_text(text):
        (tmp_path / "eval_config.yaml").write_text(text)
        with pytest.raises(ConfigError) as refused:
            compile_plan(tmp_path / "eval_config.yaml")
        return [(p.line, p.column, p.message) for p in refused.value.problems]

    return of_text


def test_every_type_is_tried():
    assert {*SETTINGS, *PROGRAMS} == set(GRADERS.ours)


@pytest.mark.parametrize("kind", SETTINGS)
def test_a_setting_in_config_has_the_effect_of_the_one_beside_it(grader, kind):
    settings = SETTINGS[kind] | COMMON
    beside = grader(kind, settings)

    assert grader(kind, {"config": settings}) == beside
    for key in settings:
        others = {other: value for other, value in settings.items() if other != key}
        assert grader(kind, {**others, "config": {key: settings[key]}}) == beside


@pytest.mark.parametrize("kind", PROGRAMS)
def test_what_a_program_is_handed_stays_what_it_is(grader, kind):
    handed = {"threshold": 0.9, "timeout": 7, "command": "x", "prompt": "y", "x-own": None}

    made = grader(kind, {**PROGRAMS[kind], "config": handed})

    assert made.config == handed
    assert made == grader(kind, PROGRAMS[kind]).model_copy(update={"config": handed})


@pytest.mark.parametrize("key", ["command", "script"])
def test_a_code_judge_that_only_config_names_has_its_settings_there(grader, key, tmp_path):
    settings = {"timeout": 7, "cwd": "sub", "keywords": ["a"]}
    (tmp_path / "sub").mkdir()

    made = grader("code_judge", {"config": {key: ["python3", "judge.py"], **settings}})

    assert made == grader("code_judge", {"command": ["python3", "judge.py"], **settings})
    assert made.config == {"keywords": ["a"]}


def test_a_program_in_config_may_print_the_prompt(grader):
    made = grader("llm_judge", {"config": {"prompt": {"command": "x", "config": {"tone": "dry"}}}})

    assert made.prompt == PromptProgram(command="x", config={"tone": "dry"})


def test_an_editor_takes_them_there_and_misses_those_that_are_nowhere():
    takes = Draft202012Validator(schema()).is_valid
    entries = [
        {"name": kind if kind in BUILTINS else "ours", "type": kind, "config": settings}
        for kind, settings in SETTINGS.items()
    ]

    assert [entry for entry in entries if not takes({"evaluators": [entry]})] == []
    assert not takes({"evaluators": [{"type": "contains", "config": {"threshold": 0.9}}]})


def test_files_that_config_names_are_read(grader, tmp_path):
    (tmp_path / "quality.md").write_text("Is {{answer}} good?")

    assert grader("llm_judge", {"config": {"prompt": "quality.md"}}).prompt == "Is {{answer}} good?"


def test_the_same_value_may_be_given_twice_and_a_key_of_ones_own(grader):
    once = grader("contains", {"value": "x"})

    assert grader("contains", {"value": "x", "config": {"value": "x", "x-why": 1}}) == once
    assert grader("contains", {"value": "x", "config": None}) == once


def test_two_values_are_refused_where_the_second_stands_with_all_other_mistakes(problems):
    text = """\
evaluators:
- name: quality
  type: llm_judge
  max_steps: 3
  required: 1
  prompt: Yes?
  config:
    prompt: No?
    maxSteps: 4
    required: true
    treshold: 0.5
    name: other
    temperature: 3
"""

    about = "evaluator 'quality': "
    assert problems(text) == [
        (8, 5, f"{about}'prompt' is 'No?' here and 'Yes?' beside 'config'; remove one"),
        (9, 5, f"{about}'maxSteps' is 4 here and 3 beside 'config'; remove one"),
        (10, 5, f"{about}'required' is true here and 1 beside 'config'; remove one"),
        (11, 5, f"{about}unknown key 'config.treshold' (did you mean 'threshold'?)"),
        (12, 5, f"{about}'name' has no meaning in 'config'; write it beside 'config'"),
        (13, 18, f"{about}'config.temperature' must be at most 2, not 3"),
    ]


@pytest.mark.parametrize(
    ("entry", "place", "message"),
    [
        (
            "{name: a, type: equals, value: x, config: 3}",
            (2, 45),
            "evaluator 'a': 'config' must be a mapping, not 3",
        ),
        (
            "{name: a, type: rubric, rubrics: [x], config: {temprature: 1}}",
            (2, 50),
            "evaluator 'a': unknown key 'config.temprature' (did you mean 'temperature'?)",
        ),
        (
            "{name: a, type: not-equals, value: x, config: {negate: true}}",
            (2, 58),
            "evaluator 'a': 'not-equals' is negated already; remove 'negate'",
        ),
        (
            "{name: a, type: composite, config: {assert: [{type: contains, config: {value: 3}}]}}",
            (2, 81),
            "evaluator 'contains': 'config.value' must be text, not 3; write '3' in quotes",
        ),
        (
            "{name: cost_v1, type: builtin, config: {judgeModel: m, maxx: 1}}",
            (2, 58),
            "evaluator 'cost_v1': unknown key 'config.maxx' (did you mean 'max'?)",
        ),
    ],
)
def test_a_mistake_in_config_is_said_at_its_place(problems, entry, place, message):
    assert problems(f"evaluators:\n- {entry}\n") == [(*place, message)]


READERS = (
    "type: code_judge, command: cat x, beside",
    "type: adk_function, function: tmp.x.f, folder",
    "type: composite, evaluators: [{type: contains, value: a}], beside",
)


@pytest.mark.parametrize("reader", READERS)
def test_a_folder_that_third_party_code_reads_lies_in_the_project(reader, tmp_path):
    path = tmp_path / "project" / "eval_config.yaml"
    (path.parent / "inside").mkdir(parents=True)
    (path.parent / "link").symlink_to("/etc")

    def problems(folder):
        path.write_text(f"evaluators:\n  - {{name: a, {reader}: {folder}}}\n")
        try:
            return compile_plan(path) and ""
        except ConfigError as error:
            return str(error)

    for folder in ("/etc", "..", "link"):
        said = f"{folder!r} lies outside of the project {str(path.parent)!r}; name a folder in it"
        assert said in problems(folder)
    assert problems("inside") == problems(".") == ""
