import pytest
from pydantic import ValidationError

from agentevals.graders import BUILTINS, GRADERS
from agentevals.graders.grader import Services
from agentevals.graders.llm.questions import JudgedGrader
from agentevals.model.cases import Rubric, Scenario
from agentevals.model.errors import InputError
from tests.graders.llm.questions.scripted import ScriptedJudge, valid
from tests.support import case, turn

JUDGED = [name for name in BUILTINS if issubclass(GRADERS[name], JudgedGrader)]
PAIRED = case(
    "done",
    expected=(turn("done"),),
    rubrics=(Rubric(rubric_id="r", text="It is so"),),
    scenario=Scenario(opening="hello", plan="say hello"),
)


class Plain(JudgedGrader):
    type = "plain"

    def grade(self, case, services):
        raise NotImplementedError


@pytest.mark.parametrize("name", JUDGED)
def test_without_a_judge_every_judged_builtin_is_an_error_that_says_what_to_do(name):
    with pytest.raises(InputError, match="no judge is configured; give --judge-model"):
        GRADERS[name](name="x").grade(PAIRED, Services())


@pytest.mark.parametrize("name", JUDGED)
def test_judged_evaluators_wait_for_somebody_else(name):
    assert GRADERS[name].waits


def test_an_evaluator_can_name_its_own_model_address_and_key():
    judge = ScriptedJudge(valid())
    own = {"judge_model": "m", "judge_base_url": "http://x/v1", "credential_ref": "MY_KEY"}

    panel = Plain(name="p", num_samples=7, **own).build_panel(Services(judge=judge))

    assert panel.samples == 7
    assert judge.variants == [{"model": "m", "base_url": "http://x/v1", "api_key_env": "MY_KEY"}]


def test_without_a_word_the_judge_says_how_often_it_is_asked():
    judge = ScriptedJudge(valid())

    assert Plain(name="p").build_panel(Services(judge=judge)).samples == judge.samples


@pytest.mark.parametrize(
    "wrong",
    [
        {"credential_ref": "sk-123-abc"},
        {"judge_base_url": "https://models.github.ai/inference"},
        {"judge_base_url": "localhost"},
        {"num_samples": 0},
        {"judge_model": ""},
    ],
)
def test_wrong_settings_are_refused_when_the_config_is_read(wrong):
    with pytest.raises(ValidationError):
        Plain(name="p", **wrong)
