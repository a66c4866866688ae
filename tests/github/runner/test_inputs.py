import pytest

from agentevals.github.runner import inputs
from agentevals.github.runner.input_texts import Shard
from agentevals.github.runner.inputs import Inputs
from agentevals.model.errors import ConfigError


def read(**given):
    """Inputs by their snake name, sent as the runner sends them."""
    return inputs.read({f"INPUT_{name.upper().replace('_', '-')}": v for name, v in given.items()})


def refused(environ):
    with pytest.raises(ConfigError) as caught:
        inputs.read(environ)
    return [str(problem) for problem in caught.value.problems]


def test_nothing_given_is_the_defaults():
    assert read() == Inputs()


def test_an_empty_text_is_as_good_as_nothing():
    assert read(jobs="", config=" \n ", baseline="", dry_run="", number="") == Inputs()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("command", "publish", "publish"),
        ("config", "a.yaml\nb/*.yaml, !b/c.yaml\n\n", ("a.yaml", "b/*.yaml", "!b/c.yaml")),
        ("traces", "traces/", ("traces/",)),
        ("baseline", "merge-base", "merge-base"),
        ("baseline", "./report", "./report"),
        ("baseline", "old/report.json", "old/report.json"),
        ("fail_on", "regressed", "regressed"),
        ("on_not_evaluated", "warn", "warn"),
        ("comment", "hide", "hide"),
        ("comment_key", "python 3.12 (nightly)", "python 3.12 (nightly)"),
        ("check", "on", "on"),
        ("check", "True", "on"),
        ("keep_traces", "true", "on"),
        ("status", "true", "on"),
        ("summary", "FALSE", "off"),
        ("dry_run", "true", True),
        ("dry_run", "False", False),
        ("jobs", "4", 4),
        ("shard", "1/4", Shard(1, 4)),
        ("judge_provider", "anthropic", "anthropic"),
        ("judge_base_url", "https://judge.example/v1/", "https://judge.example/v1"),
        ("isolation", "strict", "strict"),
        ("number", "12", 12),
        ("matrix", '{"os": "ubuntu", "python": 3.12, "x": [1]}', "ubuntu, 3.12, [1]"),
        ("matrix", "null", ""),
    ],
)
def test_what_a_text_means(name, text, value):
    assert getattr(read(**{name: text}), name) == value


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("command", "evalute", "'evalute' is not allowed (did you mean 'evaluate'?)"),
        (
            "fail_on",
            "true",
            "'true' is not allowed (known: failed, regressed, any-flip, error, never)",
        ),
        ("baseline", "merge_base", "(did you mean 'merge-base'?); a path starts with ./"),
        ("check", "yes", "'yes' is not allowed (known: auto, on, off)"),
        ("dry_run", "yes", "must be true or false"),
        ("jobs", "0", "must be a whole number, at least 1"),
        ("jobs", "1e3", "must be a whole number, at least 1"),
        ("jobs", "٣", "must be a whole number, at least 1"),
        ("number", "#12", "must be a whole number, at least 1"),
        ("shard", "5/4", "must be a part of a whole, such as 1/4"),
        ("shard", "1", "must be a part of a whole, such as 1/4"),
        ("comment_key", "a --> b", "must be 1 to 100 letters, digits, spaces or any of"),
        ("comment_key", "x" * 101, "must be 1 to 100 letters, digits, spaces or any of"),
        ("judge_base_url", "judge.example", "not a web address"),
        ("judge_api_key_env", "sk-12", "not the name of an environment variable"),
        ("matrix", "[1]", "must be a JSON object"),
        ("matrix", "{", "must be a JSON object"),
        ("comment", "x" * 61, "this text is not allowed"),
        ("comment", "\x1b[31m", "'␛[31m' is not allowed"),
    ],
)
def test_what_a_text_must_not_be(name, text, said):
    (problem,) = refused({f"INPUT_{name.upper()}": text})

    assert problem.startswith(f"action inputs: '{name.replace('_', '-')}': ")
    assert said in problem


def test_all_mistakes_are_said_at_once():
    problems = refused(
        {
            "INPUT_COMMAND": "x",
            "INPUT_JOBS": "none",
            "INPUT_FAIL-ON": "error",
            "INPUT_FAIL_ON": "never",
        }
    )

    assert len(problems) == 3


def test_both_spellings_are_understood():
    assert inputs.read({"INPUT_FAIL-ON": "never"}) == inputs.read({"INPUT_FAIL_ON": "never"})


def test_two_spellings_that_agree_are_no_mistake():
    assert inputs.read({"INPUT_JUDGE-MODEL": "m", "INPUT_JUDGE_MODEL": "m"}).judge_model == "m"


def test_two_spellings_that_differ_are_a_mistake_that_names_both():
    problems = refused({"INPUT_JUDGE-MODEL": "a", "INPUT_JUDGE_MODEL": "b"})

    assert problems == [
        "action inputs: 'judge-model' and 'judge_model' are both given and differ; give one of them"
    ]


def test_the_snake_spelling_wins_over_the_default_that_the_runner_sends():
    assert inputs.read({"INPUT_FAIL-ON": "failed", "INPUT_FAIL_ON": "never"}).fail_on == "never"


def test_the_snake_spelling_wins_over_the_token_that_the_runner_sends():
    found = inputs.read({"INPUT_GITHUB-TOKEN": "of-the-job", "INPUT_GITHUB_TOKEN": "of-an-app"})

    assert found.github_token is not None
    assert found.github_token.get_secret_value() == "of-an-app"


def test_the_token_is_not_shown():
    found = read(github_token="correct-horse-battery")

    assert "correct-horse-battery" not in f"{found!r} {found} {found.model_dump()}"


@pytest.mark.parametrize("name", ["comment", "baseline", "judge_base_url", "jobs", "matrix"])
def test_a_secret_in_the_wrong_place_is_not_repeated(name):
    token = "correct-horse-battery"

    said = refused({"INPUT_GITHUB-TOKEN": token, f"INPUT_{name.upper()}": token})

    assert token not in "".join(said)


def test_the_key_of_the_judge_in_the_wrong_place_is_not_repeated():
    environ = {"INPUT_JUDGE_API_KEY_ENV": "KEY", "KEY": "open sesame", "INPUT_CHECK": "open sesame"}

    assert "sesame" not in "".join(refused(environ))


def test_inputs_that_nobody_knows_are_warned_about_with_the_nearest():
    environ = {"INPUT_FAILON": "x", "INPUT_CONFIGS": "y", "INPUT_COMMENT": "off", "HOME": "/root"}

    said = inputs.find_warnings(environ)

    assert said == [
        "action inputs: there is no input 'failon' (did you mean 'fail-on'?)",
        "action inputs: there is no input 'configs' (did you mean 'config'?)",
    ]
    assert inputs.read(environ).comment == "off"


@pytest.mark.parametrize("field", Inputs.model_fields)
def test_every_input_is_described(field):
    assert Inputs.model_fields[field].description


@pytest.mark.parametrize("name", ["command", "fail_on", "comment", "baseline", "isolation"])
def test_the_description_names_every_choice(name):
    known = inputs.BASELINES if name == "baseline" else inputs.list_choices(name)

    description = Inputs.model_fields[name].description

    assert [word for word in known if f"`{word}`" not in description] == []
