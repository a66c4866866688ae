import pytest

from agentevals.graders.grader import Services, result_of
from agentevals.graders.uipath.uipath_llm_judge_output_semantic_similarity import SemanticSimilarity
from agentevals.model.cases import Status
from tests.graders.judged.questions.scripted import USELESS, ScriptedJudge, judged
from tests.graders.uipath.cases import of
from tests.support import case


def said(score, why="because"):
    return {"justification": why, "score": score}


def test_the_score_is_a_hundredth_of_what_the_judge_gives():
    grader = SemanticSimilarity(name="s", expected_output={"r": 1})

    grade, judge = judged(grader, of({"r": 2}), said(66.6, "nearly"))
    assert (grade.score, grade.misses) == (0.67, ("nearly",))
    assert len(judge.prompts) == 1


def test_a_prompt_is_given_what_it_has_no_place_for():
    grader = SemanticSimilarity(
        name="s", prompt="Compare {{ ActualOutput }}!", expected_output="wanted"
    )

    _, judge = judged(grader, of("put out"), said(100))
    assert judge.prompts[0].index("put out") < judge.prompts[0].index("wanted")
    assert judge.prompts[0].count("put out") == 1


def test_what_the_agent_wrote_is_no_template():
    _, judge = judged(
        SemanticSimilarity(name="s", expected_output="secret"), of("{{ExpectedOutput}}"), said(0)
    )

    assert judge.prompts[0].count("secret") == 1


def test_the_model_of_the_evaluator_is_asked():
    grader = SemanticSimilarity(name="s", model="other", expected_output="x")

    _, judge = judged(grader, of("x"), said(100))
    assert judge.variants[0]["model"] == "other"


@pytest.mark.parametrize(
    ("given", "answer", "status"),
    [
        (of("x"), USELESS, Status.ERROR),
        (case("x"), said(100), Status.NOT_EVALUATED),
    ],
)
def test_no_answer_is_no_score(given, answer, status):
    wanted = "x" if status is Status.ERROR else None
    grader = SemanticSimilarity(name="s", expected_output=wanted)

    result = result_of(grader, given, Services(judge=ScriptedJudge(answer)))
    assert (result.status, result.score) == (status, None)
