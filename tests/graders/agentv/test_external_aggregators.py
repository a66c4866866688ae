import pytest

from agentevals.graders.agentv.aggregators import Aggregator
from agentevals.graders.agentv.external_aggregators import JudgeAggregator, ProgramAggregator
from agentevals.graders.grader import Services
from agentevals.model.cases import Status
from agentevals.model.errors import EvaluatorError
from agentevals.model.results import Result
from tests.graders.llm.questions.scripted import USELESS, ScriptedJudge

RESULTS = {
    "a": Result(name="a", type="t", status=Status.PASSED, score=1.0, hits=("good",)),
    "b": Result(name="b", type="t", status=Status.FAILED, score=0.4, misses=("bad",)),
}
ANSWER = {"score": 0.75, "hits": ["h1"], "misses": ["m1"], "reasoning": "because"}


def asked(folder, answer=ANSWER, **settings):
    judge = ScriptedJudge(answer)
    how = Aggregator(type="llm_judge", **settings)
    grade = JudgeAggregator(how, folder).aggregate(RESULTS, Services(judge=judge), "all")
    return grade, judge.prompts[0]


@pytest.mark.parametrize(
    "settings",
    [{}, {"prompt": "Results: {{ EVALUATOR_RESULTS_JSON }}"}, {"prompt": "Be strict."}],
    ids=["usual", "place", "no place"],
)
def test_the_judge_is_shown_the_results(tmp_path, settings):
    grade, prompt = asked(tmp_path, **settings)

    assert grade.score == 0.75
    assert grade.hits == ("h1",)
    assert '"bad"' in prompt
    assert "{{" not in prompt
    assert prompt.startswith(settings.get("prompt", "Several evaluators")[:9])


def test_a_judge_without_an_answer_is_an_error(tmp_path):
    with pytest.raises(EvaluatorError):
        asked(tmp_path, USELESS)


def test_a_prompt_has_no_other_places():
    with pytest.raises(ValueError, match="nothing is called"):
        Aggregator(type="llm_judge", prompt="{{answer}}")


def test_a_program_that_fails_is_an_error(tmp_path):
    (tmp_path / "broken.py").write_text("raise SystemExit(4)")
    how = Aggregator(type="code_judge", command=("python3", "broken.py"))

    with pytest.raises(EvaluatorError, match="exited with code 4"):
        ProgramAggregator(how, tmp_path).aggregate(RESULTS, Services(), "all")


def test_a_judge_needs_nothing_beforehand(tmp_path):
    aggregator = JudgeAggregator(Aggregator(type="llm_judge"), tmp_path)
    aggregator.prepare()

    assert aggregator.problems() == []
    assert aggregator.content == ""
