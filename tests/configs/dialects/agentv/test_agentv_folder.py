import json

import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides
from agentevals.model.errors import ConfigError

PROMPT = "Judge {{answer}}"


@pytest.fixture
def here(tmp_path):
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.fixture
def plan(here):
    def of_targets(targets, target=None, folder=".", **top):
        (here / ".agentv").mkdir(exist_ok=True)
        (here / ".agentv/targets.yaml").write_text(json.dumps({"targets": targets}))
        (here / folder).mkdir(parents=True, exist_ok=True)
        entry = {"name": "j", "type": "llm_judge", "prompt": PROMPT}
        entry |= {"target": target} if target else {}
        path = here / folder / "EVAL.yaml"
        tests = [{"id": "a", "input": "q"}]
        path.write_text(json.dumps({"assert": [entry], "tests": tests, **top}))
        return compile_plan(path, Overrides(root=here))

    return of_targets


@pytest.mark.parametrize(
    ("target", "judge"),
    [
        ({"provider": "openai", "model": "gpt-5"}, ("openai", "gpt-5", None, None)),
        (
            {"provider": "OpenAI", "model": "m", "base_url": "http://127.0.0.1:1/v1/"},
            ("openai", "m", "http://127.0.0.1:1/v1", None),
        ),
        (
            {"provider": "azure", "resource_name": "contoso", "deployment": "d"},
            ("openai", "d", "https://contoso.openai.azure.com/openai/v1", None),
        ),
        (
            {"provider": "openrouter", "model": "m", "api_key": "${{ ROUTER_KEY }}"},
            ("openai", "m", "https://openrouter.ai/api/v1", "ROUTER_KEY"),
        ),
        (
            {"provider": "gemini", "model": "g", "api_key": "{{ env.GEMINI_API_KEY }}"},
            (
                "openai",
                "g",
                "https://generativelanguage.googleapis.com/v1beta/openai",
                "GEMINI_API_KEY",
            ),
        ),
        ({"provider": "anthropic", "model": "claude-x"}, ("anthropic", "claude-x", None, None)),
    ],
)
def test_each_provider_becomes_a_judge(plan, target, judge):
    settings = plan([{"name": "default", **target}]).judge

    assert (settings.speaks, settings.model, settings.base_url, settings.api_key_env) == judge


@pytest.mark.parametrize(
    "execution",
    [
        {"target": "agent"},
        {"target": "other", "grader_target": "second"},
        {"judge_target": "second"},
    ],
)
def test_the_judge_is_that_of_the_target_of_the_file(plan, execution):
    targets = [
        {"name": "agent", "provider": "cli", "grader_target": "second"},
        {"name": "first", "provider": "openai", "model": "one"},
        {"name": "second", "provider": "openai", "model": "two"},
    ]

    assert plan(targets, execution=execution).judge.model == "two"


def test_a_target_may_stand_for_another_one_that_the_environment_names(plan, monkeypatch):
    monkeypatch.setenv("JUDGE", "second")
    targets = [
        {"name": "default", "use_target": "${{ JUDGE }}"},
        {"name": "second", "provider": "openai", "model": "two"},
    ]

    assert plan(targets).judge.model == "two"


def test_targets_that_stand_for_each_other_are_no_judge(plan):
    targets = [{"name": "default", "use_target": "b"}, {"name": "b", "use_target": "default"}]

    assert plan(targets).judge is None


def test_the_file_is_found_above_and_what_the_eval_file_says_wins(plan):
    targets = [{"name": "default", "provider": "openai", "model": "theirs"}]

    assert plan(targets, folder="a/b").judge.model == "theirs"
    assert plan(targets, judge={"model": "gpt-5"}).judge.model == "gpt-5"


def test_an_evaluator_in_another_one_has_a_judge_of_its_own(plan):
    child = {"name": "c", "type": "llm_judge", "prompt": PROMPT, "target": "second"}
    both = {"name": "k", "type": "composite", "aggregator": {"type": "minimum"}}
    targets = [{"name": "second", "provider": "openai", "model": "two"}]

    made = plan(targets, **{"assert": [both | {"assertions": [child]}]})

    assert made.judge.targets["second"].model == "two"


def test_a_file_without_judged_evaluators_needs_no_targets(plan):
    wrong = [{"name": "default", "provider": "openai", "api_key": "sk-written-out"}]

    made = plan(wrong, **{"assert": [{"type": "contains", "value": "x"}]})

    assert made.judge is None


def test_that_an_agent_cannot_judge_is_said(plan):
    made = plan([{"name": "default", "provider": "cli"}])

    assert made.judge is None
    assert [found.rule for found in made.findings] == ["no-judge"]
    assert "name a judge as 'grader_target' of 'default'" in made.findings[0].message


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([{"name": "x", "provider": "mock"}], "of provider 'mock', which cannot judge here"),
        ([{"name": "x", "provider": "vscode"}], "of provider 'vscode', which cannot judge here"),
        ([{"name": "y", "provider": "openai"}], "there is no target 'x'"),
        ([], "there is no target 'x'; describe it in"),
        ([7, None, {"name": 7}], "there is no target 'x'"),
        ("none", "'targets' must be a list of targets"),
        ([{"name": "x", "provider": "openai", "model": 7, "base_url": "ftp://h"}], "web address"),
        ([{"name": "x", "provider": "openai", "model": "m", "temperature": "hot"}], "target 'x'"),
    ],
)
def test_an_evaluator_without_its_judge_is_refused(plan, targets, message):
    with pytest.raises(ConfigError) as refused:
        plan(targets, target="x", judge={"model": "gpt-5"})

    assert message in str(refused.value)


@pytest.mark.parametrize("key", ["sk-live-123", "Bearer sk-live-123 ${{ A }}", ["sk-live-123"]])
def test_a_key_that_is_written_out_is_refused_and_not_repeated(plan, key):
    with pytest.raises(ConfigError) as refused:
        plan([{"name": "x", "provider": "openai", "model": "m", "api_key": key}], target="x")

    assert "the target 'x' holds a key; keep it in the environment" in str(refused.value)
    assert "sk-live" not in str(refused.value)


def test_no_secret_becomes_part_of_an_address(plan, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "hunter2")
    target = {
        "name": "x",
        "provider": "openai",
        "model": "m",
        "base_url": "http://${{ API_TOKEN }}",
    }

    with pytest.raises(ConfigError) as refused:
        plan([target], target="x")

    assert "hunter2" not in str(refused.value)


def test_targets_of_5_have_an_id_and_their_settings_in_a_config(here, plan):
    target = {"id": "default", "provider": "openai"}
    config = {"model": "m", "base_url": "http://127.0.0.1:1/v1", "api_key": "{{ env.A_KEY }}"}

    settings = plan([{**target, "config": config}]).judge

    assert (settings.model, settings.base_url) == ("m", "http://127.0.0.1:1/v1")
    assert settings.api_key_env == "A_KEY"


def test_the_file_of_targets_may_be_the_list_itself(here, plan):
    plan([])
    listed = [{"id": "default", "provider": "openai", "model": "m"}]
    (here / ".agentv/targets.yaml").write_text(json.dumps(listed))

    assert compile_plan(here / "EVAL.yaml", Overrides(root=here)).judge.model == "m"


def test_a_target_may_be_written_out_in_the_file(plan):
    targets = [{"id": "base", "provider": "cli", "grader_target": "second"}]
    targets += [{"id": "second", "provider": "openai", "model": "two"}]

    assert (
        plan(targets, execution={"target": {"name": "variant", "extends": "base"}}).judge.model
        == "two"
    )
    own = {"id": "own", "provider": "openai", "config": {"model": "own"}}
    assert plan(targets, execution={"target": own}).judge.model == "own"


def test_a_key_that_is_written_out_is_refused_at_its_place_wherever_it_is(here, plan):
    inner = {"model": "m", "api_key": "sk-written-out"}

    with pytest.raises(ConfigError, match=r"targets\.yaml:1:\d+: the target 'default' holds a key"):
        plan([{"id": "default", "provider": "openai", "config": inner}])
    own = {"id": "own", "provider": "openai", "config": inner}
    with pytest.raises(ConfigError, match=r"EVAL\.yaml:1:[1-9]\d+: the target 'own' holds a key"):
        plan([], execution={"target": own})
