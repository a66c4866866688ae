import json

import pytest

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.llm.llm_judge import LLMJudge
from agentevals.graders.llm.rubric import Rubric
from agentevals.judge import JudgeSettings, create_judge
from agentevals.model.cases import Status
from agentevals.model.errors import EvaluatorError
from tests.small_model.server import KEY
from tests.support import EXAMPLES, agentevals, case

# what a model of this size says is often no use, and never to be relied on: only how it is asked,
# heard and counted is tested
_VARIABLE = "SMALL_MODEL_KEY"
SETTINGS = {
    "model": "smollm2",
    "api_key_env": _VARIABLE,
    "cache": False,
    "temperature": 0,
    "max_tokens": 100,
}
ABOUT = case("The capital of France is Paris.", criteria="Names the capital of France")


def sensible(result):
    if result.status == Status.ERROR:
        return result.error.startswith("the judge 'smollm2' ")
    return 0 <= result.score <= 1


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv(_VARIABLE, KEY)


@pytest.fixture
def judge(address):
    return create_judge(JudgeSettings(base_url=address, **SETTINGS))


@pytest.fixture
def other(address):
    """The same model, spoken to in Anthropic's way."""
    return create_judge(JudgeSettings(base_url=address, provider="anthropic", **SETTINGS))


@pytest.mark.parametrize("asked", ["judge", "other"])
def test_it_says_something(asked, request):
    judge = request.getfixturevalue(asked)

    said = judge.say("Say hello.", system=f"You are a friendly {asked}.")

    usage = judge.usage()
    assert said.strip()
    assert usage["calls"] == 1
    assert 5 < usage["input_tokens"] < 100
    assert 0 < usage["output_tokens"] <= SETTINGS["max_tokens"]


def test_it_keeps_to_a_schema_that_it_is_held_to(judge):
    colours = {"type": "string", "enum": ["mauve", "taupe"]}
    schema = {
        "type": "object",
        "properties": {"colour": colours},
        "required": ["colour"],
        "additionalProperties": False,
    }

    answer = judge.ask("Which colour has the sky?", schema=schema)

    assert answer["colour"] in colours["enum"]
    assert judge.usage()["calls"] == 1


@pytest.mark.parametrize(
    "grader",
    [
        LLMJudge(name="j"),
        LLMJudge(name="j", prompt="Is {{answer}} right for {{question}}?", negate=True),
        Rubric(name="r", rubrics=["It names a city", "It is polite"]),
        Rubric(name="r", rubrics=[{"outcome": "right", "score_ranges": {"0": "no", "6": "yes"}}]),
    ],
)
def test_it_judges_or_is_an_error_that_says_why(judge, grader):
    result = grade_case(grader, ABOUT, Services(judge=judge))

    assert 1 <= judge.usage()["calls"] <= 4
    assert sensible(result)


def test_who_is_not_held_to_a_schema_judges_or_is_an_error_too(other):
    result = grade_case(LLMJudge(name="j"), ABOUT, Services(judge=other))

    assert 1 <= other.usage()["calls"] <= 4
    assert sensible(result)


@pytest.mark.parametrize("asked", ["judge", "other"])
def test_what_it_refuses_is_an_error(asked, request):
    judge = request.getfixturevalue(asked)

    with pytest.raises(EvaluatorError, match=r"refuses the question .*context"):
        judge.say("word " * 20_000)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_key_that_it_does_not_know_is_an_error(provider, address, monkeypatch):
    monkeypatch.setenv(_VARIABLE, "of somebody else")
    judge = create_judge(JudgeSettings(base_url=address, provider=provider, **SETTINGS))

    with pytest.raises(EvaluatorError, match=f"refuses the key in {_VARIABLE}"):
        judge.say("Say hello.")


def test_a_whole_run(address, tmp_path):
    config = {
        "evaluators": [{"type": "llm_judge", "name": "j"}],
        "judge": {**SETTINGS, "base_url": address},
    }
    (tmp_path / "eval_config.yaml").write_text(json.dumps(config))

    done = agentevals(
        "run",
        str(next((EXAMPLES / "traces").glob("*.jsonl"))),
        "--config",
        str(tmp_path / "eval_config.yaml"),
        "-o",
        "report",
        **{_VARIABLE: KEY},
    )

    report = json.loads(done.stdout)
    assert report["judge"]["calls"] >= 1
    assert report["judge"]["output_tokens"] >= 1
