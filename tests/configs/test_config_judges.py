import pytest

from agentevals.configs.config_judges import check_encryption, list_judges
from agentevals.configs.dialects import compile_plan
from agentevals.configs.plan import Overrides
from agentevals.model.errors import ConfigError
from tests.action.job import config

SAFETY = {"name": "safety_v1", "type": "builtin"}
PLAIN = "http://judge.example/v1"


@pytest.fixture
def plan(tmp_path):
    """A plan of a config with these evaluators, and the config."""

    def made(*evaluators, **judge):
        path = tmp_path / "eval_config.yaml"
        keys = {"judge": {"model": "gpt-4o", **judge}} if judge else {}
        path.write_text(config(*evaluators, eval_set=None, **keys))
        return compile_plan(path, Overrides()), path

    return made


KEYED = {
    "judge": lambda url: ((SAFETY,), {"base_url": url, "api_key_env": "KEY"}),
    "evaluator": lambda url: (
        (SAFETY | {"judge_model": "m", "judge_base_url": url, "credential_ref": "KEY"},),
        {},
    ),
    "target": lambda url: ((SAFETY,), {"targets": {"t": {"base_url": url, "api_key_env": "KEY"}}}),
}


@pytest.mark.parametrize("where", KEYED)
def test_a_key_is_not_sent_in_the_clear(plan, where):
    evaluators, judge = KEYED[where](PLAIN)
    made, path = plan(*evaluators, **judge)
    with pytest.raises(
        ConfigError, match=r"KEY would go to http://judge\.example without"
    ) as error:
        check_encryption(made, path, {})

    [problem] = error.value.problems
    assert problem.line == next(
        number for number, line in enumerate(path.read_text().splitlines(), 1) if PLAIN in line
    )
    assert "OPENAI_BASE_URL" in problem.message


@pytest.mark.parametrize(
    "url",
    [
        "https://judge.example/v1",
        "http://127.0.0.1:4000/v1",
        "http://127.9.9.9/v1",
        "http://[::1]:4000/v1",
        "http://localhost:4000/v1",
        "http://judge.localhost/v1",
    ],
)
@pytest.mark.parametrize("where", KEYED)
def test_an_encrypted_address_and_this_machine_are_fine(plan, where, url):
    evaluators, judge = KEYED[where](url)
    made, path = plan(*evaluators, **judge)
    check_encryption(made, path, {})

    assert url.startswith([one.origin for one in list_judges(made, {})][-1])


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost.evil.example/v1",
        "http://127.0.0.1.evil.example/v1",
        "http://2130706433/v1",
        "http://0.0.0.0/v1",
        "http://[::ffff:8.8.8.8]/v1",
        "http://10.0.0.1/v1",
        "HTTP://judge.example/v1",
    ],
)
def test_what_only_looks_like_this_machine_is_not(plan, url):
    evaluators, judge = KEYED["judge"](url)
    made, path = plan(*evaluators, **judge)
    with pytest.raises(ConfigError, match="without encryption"):
        check_encryption(made, path, {})


def test_without_a_key_an_address_of_the_own_network_is_fine(plan):
    made, path = plan(SAFETY, base_url=PLAIN)
    check_encryption(made, path, {})

    assert [one.is_plain for one in list_judges(made, {})] == [True]


def test_an_address_of_the_environment_is_not_that_of_a_config(plan):
    made, path = plan(SAFETY, provider="openai")
    check_encryption(made, path, {"OPENAI_BASE_URL": PLAIN})

    assert [one.origin for one in list_judges(made, {"OPENAI_BASE_URL": PLAIN})] == [
        "http://judge.example"
    ]


def test_a_password_in_an_address_of_the_environment_is_not_shown(plan):
    made, _ = plan(SAFETY, provider="openai")
    [judge] = list_judges(made, {"OPENAI_BASE_URL": "https://me:secret@judge.example/v1"})

    assert judge.origin == "https://judge.example"


@pytest.mark.parametrize(
    ("grader", "origin"),
    [
        ({"backend": "api", "grader": {"type": "text_similarity", "evaluation_metric": "bleu"}}, 0),
        (
            {
                "grader": {
                    "type": "label_model",
                    "model": "claude-haiku-4-5",
                    "input": [{"role": "user", "content": "Rate it"}],
                    "labels": ["good"],
                    "passing_labels": ["good"],
                }
            },
            1,
        ),
    ],
)
def test_graders_of_the_evals_api_ask_as_well(plan, grader, origin):
    made, _ = plan({"name": "graded", "type": "openai_eval", **grader})
    [asked] = list_judges(made, {})

    expected = ("https://api.openai.com", "https://api.anthropic.com")[origin]
    assert (asked.who, asked.origin) == ("evaluator 'graded'", expected)
