"""What files of AgentV 5 say about all tests: prompts, and `default_test`."""

import json

import pytest

from agentevals.configs.dialects import compile_plan
from agentevals.model.errors import ConfigError

TEST = {"id": "a", "vars": {"question": "Where?"}, "assert": [{"type": "contains", "value": "x"}]}


@pytest.fixture
def compiled(tmp_path):
    def of_file(tests=(TEST,), **top):
        path = tmp_path / "EVAL.yaml"
        path.write_text(json.dumps({"tests": list(tests), **top}))
        return compile_plan(path)

    return of_file


def messages(plan):
    return [(said["role"], said["content"]) for said in plan.expectations[0].task.input]


@pytest.mark.parametrize(
    "prompt",
    [
        "Say: {{ question }}",
        "Say: {{ vars.question }}",
        {"id": "one", "prompt": "Say: {{ question }}"},
        {"label": "One", "raw": "Say: {{ question }}"},
        {"id": "one", "file": "./ask.md"},
        "file://ask.md",
    ],
)
def test_a_prompt_is_a_text_or_a_file(compiled, tmp_path, prompt):
    (tmp_path / "ask.md").write_text("Say: {{ question }}")

    assert messages(compiled(prompts=[prompt])) == [("user", "Say: Where?")]


@pytest.mark.parametrize("in_file", [True, False])
def test_a_prompt_of_messages_is_filled_too(compiled, tmp_path, in_file):
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "{{ question }}"},
    ]
    (tmp_path / "ask.json").write_text(json.dumps(asked))

    plan = compiled(prompts=[{"file": "ask.json"} if in_file else asked])

    assert messages(plan) == [("system", "Be brief."), ("user", "Where?")]
    assert plan.expectations[0].opening == "Where?"


def test_of_several_prompts_the_first_counts_and_a_note_says_so(compiled):
    plan = compiled(prompts=["One: {{ question }}", "Two"])

    assert messages(plan) == [("user", "One: Where?")]
    assert [found.rule for found in plan.findings] == ["first-prompt"]


def test_variables_may_name_each_other(compiled):
    own = {"person": {"name": "Ada"}, "question": "Who is {{ vars.person.name }}?"}

    plan = compiled([{**TEST, "vars": own}], prompts=["{{ question }}"])

    assert messages(plan) == [("user", "Who is Ada?")]


DEFAULT = {
    "vars": {"question": "Why?"},
    "threshold": 0.4,
    "assert": [{"type": "contains", "value": "usual"}],
}


@pytest.mark.parametrize("in_file", [True, False])
def test_the_default_test_has_variables_evaluators_and_a_threshold(compiled, tmp_path, in_file):
    (tmp_path / "usual.yaml").write_text(json.dumps(DEFAULT))
    given = "file://./usual.yaml" if in_file else DEFAULT

    plan = compiled([{**TEST, "vars": {}}], prompts=["{{ question }}"], default_test=given)

    assert messages(plan) == [("user", "Why?")]
    assert [grader.value for grader in plan.graders] == ["usual"]
    assert plan.policy.pass_at == 0.4


@pytest.mark.parametrize(
    ("top", "pass_at"),
    [
        ({"threshold": 0.7}, 0.7),
        ({"threshold": 0.7, "default_test": {"threshold": 0.4}}, 0.4),
        ({"threshold": 0.7, "execution": {"threshold": 0.5}}, 0.5),
    ],
)
def test_the_threshold_nearest_to_the_test_counts(compiled, top, pass_at):
    assert compiled(prompts=["{{ question }}"], **top).policy.pass_at == pass_at
    own = compiled([{**TEST, "threshold": 0.1}], prompts=["{{ question }}"], **top)
    assert own.expectations[0].pass_at == 0.1


def test_the_rubric_prompt_is_the_template_of_judges_that_have_none(compiled):
    judged = {**TEST, "assert": [{"type": "llm-rubric", "name": "j"}]}
    options = {"rubric_prompt": "Judge {{ answer }}", "transform": "file://a.ts"}

    plan = compiled([judged], prompts=["{{ question }}"], default_test={"options": options})

    assert plan.expectations[0].graders[0].template == "Judge {{ answer }}"
    assert any("default_test.options.transform" in found.message for found in plan.findings)


@pytest.mark.parametrize(
    ("top", "message"),
    [
        (
            {"scenarios": []},
            "'scenarios' changes the score in the other system, and is not supported here",
        ),
        (
            {"default_test": {"provider_output": "x"}},
            "'provider_output' changes the score in the other system",
        ),
        ({"default_test": 7}, "'default_test' must be a mapping, not 7"),
        ({"prompts": [7]}, "a prompt is a text, messages, or a file, not 7"),
        ({"default_test": "file://nowhere.yaml"}, "nowhere.yaml"),
        ({"assert": [{"type": "contains", "value": "x", "transform": "y"}]}, "key 'transform'"),
    ],
)
def test_what_would_be_judged_by_and_is_not_read_is_refused(compiled, top, message):
    with pytest.raises(ConfigError) as refused:
        compiled(**{"prompts": ["{{ question }}"], **top})

    assert message in str(refused.value)
