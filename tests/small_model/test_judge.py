import json

import pytest

from agentevals.errors import EvaluatorError
from agentevals.graders.llm_judge import LLMJudge
from agentevals.graders.rubric import Rubric
from agentevals.grading import Services, result_of
from agentevals.judge import JudgeSettings, from_settings
from agentevals.model import Status
from tests.support import EXAMPLES, agentevals, case

# what a model of this size says is often no use, and never to be relied on: only how it is asked,
# heard and counted is tested
SETTINGS = {"model": "smollm2", "cache": False, "temperature": 0, "max_tokens": 150}


@pytest.fixture
def judge(address):
    return from_settings(JudgeSettings(base_url=address, **SETTINGS))


def test_it_says_something(judge):
    said = judge.say("Say hello.", system="You are friendly.")

    usage = judge.usage()
    assert said.strip()
    assert usage["calls"] == 1
    assert 10 < usage["input_tokens"] < 100
    assert 0 < usage["output_tokens"] <= 150


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
    about = case("The capital of France is Paris.", criteria="Names the capital of France")

    result = result_of(grader, about, Services(judge=judge))

    assert 1 <= judge.usage()["calls"] <= 4
    if result.status == Status.ERROR:
        assert result.error.startswith("the judge 'smollm2' ")
    else:
        assert 0 <= result.score <= 1


def test_what_it_refuses_is_an_error(address):
    judge = from_settings(JudgeSettings(base_url=address, **SETTINGS))

    with pytest.raises(EvaluatorError, match="refuses the question"):
        judge.say("word " * 20_000)


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
    )

    assert done.returncode in {0, 1}
    assert json.loads(done.stdout)["judge"]["calls"] >= 1
