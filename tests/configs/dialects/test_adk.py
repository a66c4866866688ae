"""What an EvalConfig of ADK becomes; `tests/data/configs/adk` has the documents themselves."""

import json

import pytest

from agentevals.configs.dialects import adk, agentevals, compile_plan, inspect
from agentevals.configs.plan import Overrides
from agentevals.files import documents
from agentevals.graders.grader import Services
from agentevals.model.errors import ConfigError, InputError
from tests.support import case

CODE = {"code_config": {"name": "my_agent.metrics.mine"}}
MINE = {"custom_metrics": {"mine": CODE}}


@pytest.fixture
def written(tmp_path):
    def write(document):
        path = tmp_path / "eval_config.json"
        path.write_text(json.dumps(document))
        return path

    return write


@pytest.mark.parametrize(
    ("document", "is_one"),
    [
        ({"criteria": {}}, True),
        ({"customMetrics": {}}, True),
        ({"criteria": {}, "tests": []}, False),
        ({"evaluators": []}, False),
        ({}, False),
    ],
)
def test_it_is_known_by_its_keys(written, document, is_one):
    assert adk.matches(documents.read(written(document))) is is_one


@pytest.mark.parametrize("criterion", [1, {"threshold": 1}])
def test_a_judge_that_is_written_as_in_a_config_of_ours_is_told_where_it_goes(written, criterion):
    judge = {"model": "llama3", "base_url": "http://localhost:1"}
    path = written({"judge": judge, "criteria": {"final_response_match_v2": criterion}})

    with pytest.raises(ConfigError) as refused:
        compile_plan(path)

    [problem] = refused.value.problems
    assert problem.message.startswith("an EvalConfig has no 'judge'; name the model in ")
    assert (problem.line, problem.column) == (1, 2)


@pytest.mark.parametrize(
    "key", [key for key in agentevals.KEYS if key not in {*agentevals.LISTS, "output"}]
)
def test_a_key_of_a_config_of_ours_is_told_where_it_goes(written, key):
    path = written({"criteria": {"response_match_score": 1}, key: {"of": "ours"}})

    with pytest.raises(ConfigError) as refused:
        compile_plan(path)

    [problem] = refused.value.problems
    assert problem.message.startswith(f"an EvalConfig has no '{key}'; ")
    assert (problem.line, problem.column) == (1, 43)


def test_what_adk_writes_of_a_config_is_read_with_all_its_nulls(written):
    unset = dict.fromkeys(("customMetrics", "userSimulatorConfig", "liveModelConfig"))
    plan = compile_plan(written({"criteria": {"response_match_score": 1}, **unset}))

    assert [grader.name for grader in plan.graders] == ["response_match_score"]
    assert plan.findings == ()


def test_a_threshold_of_coherence_is_on_its_own_scale(written):
    path = written({"criteria": {"response_evaluation_score": 4}})

    [grader] = compile_plan(path).graders

    assert grader.threshold == 0.75


@pytest.mark.parametrize(
    "key", ["include_intermediate_responses_in_final", "includeIntermediateResponsesInFinal"]
)
def test_the_words_of_the_final_response_alone_are_compared(written, key):
    plan = compile_plan(
        written({"criteria": {"response_match_score": {"threshold": 1, key: True}}})
    )

    assert not plan.graders[0].include_intermediate_responses_in_final
    [found] = plan.findings
    assert "has no effect on 'response_match_score'" in found.message


IGNORED = [
    ({"criterias": {}}, "unknown key 'criterias' (did you mean 'criteria'?)"),
    (
        {"custom_metrics": {"mine": {**CODE, "metricinfo": {}}}},
        "unknown key 'custom_metrics.mine.metricinfo' (did you mean 'metric_info'?)",
    ),
    (
        {"criteria": {"response_match_score": {"threshold": 1, "treshold": 0.5}}},
        "metric 'response_match_score': unknown key 'treshold' (did you mean 'threshold'?)",
    ),
]


@pytest.mark.parametrize(("keys", "told"), IGNORED)
def test_a_key_that_adk_ignores_is_warned_about(written, keys, told):
    path = written({"criteria": {"response_match_score": 1, "mine": 1}, **MINE, **keys})

    [found] = [one for one in compile_plan(path).findings if one.rule == "unknown-key"]

    assert (found.message, found.severity) == (f"{told}; it is ignored", "warning")
    assert found.path == str(path)
    assert found.column > 1


@pytest.mark.parametrize(("keys", "told"), IGNORED)
def test_it_is_refused_where_the_config_is_strict(written, keys, told):
    criteria = {"response_match_score": 1, "mine": 1}
    path = written({"criteria": criteria, **MINE, **keys, "x-agentevals": {"strict": True}})

    with pytest.raises(ConfigError) as refused:
        compile_plan(path)

    assert [problem.message for problem in refused.value.problems] == [told]


@pytest.mark.parametrize(
    "keys",
    [
        {"custom_metrics": {"mine": {"code_config": {"name": "a.b", "args": []}}}},
        {
            "criteria": {
                "final_response_match_v2": {
                    "threshold": 1,
                    "judge_model_options": {"num_sample": 1},
                }
            }
        },
    ],
)
def test_a_key_that_adk_refuses_is_refused(written, keys):
    with pytest.raises(ConfigError, match="unknown key"):
        compile_plan(written({"criteria": {"response_match_score": 1}, **keys}))


def test_a_strict_config_holds_for_its_eval_set(written, tmp_path):
    eval_set = tmp_path / "set.json"
    eval_set.write_text('{"eval_set_id": "s", "eval_cases": [], "nmae": ""}')
    path = written({"criteria": {"response_match_score": 1}, "x-agentevals": {"strict": True}})

    with pytest.raises(ConfigError, match=r"set\.json:1:40: unknown key 'nmae'"):
        compile_plan(path, Overrides(eval_set=eval_set))


def test_unordered_means_any_order(written):
    criterion = {"threshold": 1, "match_type": "unordered"}

    with pytest.raises(ConfigError, match="did you mean 'ANY_ORDER'"):
        compile_plan(written({"criteria": {"tool_trajectory_avg_score": criterion}}))


def test_the_command_line_wins(written):
    path = written({"criteria": {"tool_trajectory_avg_score": 1.0}})

    plan = compile_plan(path, Overrides(threshold=0.25, on_not_evaluated="warn"))

    assert plan.graders[0].threshold == 0.25
    assert not plan.policy.fail_on_not_evaluated


def test_an_eval_set_that_is_wrong_is_said_with_the_rest(written, tmp_path):
    eval_set = tmp_path / "set.json"
    eval_set.write_text('{"eval_set_id": "s"}')
    path = written({"criteria": {"nope": 1}})

    with pytest.raises(ConfigError) as refused:
        compile_plan(path, Overrides(eval_set=eval_set))

    assert {problem.path for problem in refused.value.problems} == {str(path), str(eval_set)}


@pytest.mark.parametrize(
    ("source", "path", "told"),
    [
        ("def f(a, b, c, d): ...", "my_agent.metric.f", "did you mean 'my_agent.metrics'?"),
        ("def f(a, b, c, d): ...", "my_agent.metrics.g", "has no 'g'"),
        ("import nothing_of_this_name", "my_agent.metrics.f", "nothing_of_this_name"),
        ("f = 7", "my_agent.metrics.f", "does not refer to a callable, but to int"),
        ("def f(a): ...", "my_agent.metrics.f", "my_agent.metrics.f"),
    ],
)
def test_a_function_that_cannot_be_called_is_a_problem_at_its_import_path(
    written, tmp_path, source, path, told
):
    (tmp_path / "my_agent").mkdir()
    (tmp_path / "my_agent/metrics.py").write_text(source)
    config = written(
        {"criteria": {"m": 1}, "custom_metrics": {"m": {"code_config": {"name": path}}}}
    )

    with pytest.raises(ConfigError) as refused:
        inspect(config, compile_plan(config))

    [problem] = refused.value.problems
    assert told in problem.message
    assert (problem.line, problem.column > 1) == (1, True)


def test_a_function_that_can_be_called_is_not_called(written, tmp_path):
    (tmp_path / "my_agent").mkdir()
    text = "def mine(eval_metric, actual, expected, scenario): raise SystemExit"
    (tmp_path / "my_agent/metrics.py").write_text(text)
    config = written({"criteria": {"mine": 1}, **MINE})

    assert inspect(config, compile_plan(config)).graders


def test_a_function_that_is_only_loaded_is_granted_nothing(written, tmp_path, monkeypatch):
    monkeypatch.setenv("A_KEY", "its value")
    (tmp_path / "my_agent").mkdir()
    (tmp_path / "my_agent/metrics.py").write_text(
        "import os\nif 'A_KEY' in os.environ: raise SystemExit(os.environ['A_KEY'])\n"
        "def mine(eval_metric, actual, expected, scenario): ..."
    )
    grants = {"x-agentevals": {"grants": {"mine": {"env": ["A_KEY"]}}}}
    config = written({"criteria": {"mine": 1}, **MINE, **grants})
    plan = compile_plan(config)

    assert inspect(config, plan) == plan
    [mine] = plan.graders
    with pytest.raises(InputError, match="was loaded"):
        mine.grade(case(), Services())


def test_one_that_may_need_its_grants_to_be_loaded_is_not_refused_without(written, tmp_path):
    (tmp_path / "my_agent").mkdir()
    (tmp_path / "my_agent/metrics.py").write_text("import os\nos.environ['A_KEY']")
    grants = {"x-agentevals": {"grants": {"mine": {"env": ["A_KEY"]}}}}
    config = written({"criteria": {"mine": 1}, **MINE, **grants})
    plan = compile_plan(config)

    assert inspect(config, plan) == plan
