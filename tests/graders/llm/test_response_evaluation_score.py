from agentevals.graders.llm.response_evaluation_score import ResponseEvaluation
from agentevals.model.cases import Status
from tests.graders.llm.questions.scripted import judged, verdicts
from tests.support import case


def test_the_score_is_the_share_of_properties_of_a_coherent_answer():
    said = verdicts(to_the_point="yes", ordered="yes", consistent="no", complete="yes")

    grade, _ = judged(ResponseEvaluation(name="c"), case("hello"), said)

    assert grade.score == 0.75
    assert grade.misses == ("It does not contradict itself: consistent is no",)
    assert "the original runs on Vertex AI" in grade.details["note"]


def test_silence_is_not_judged():
    grade, _ = judged(ResponseEvaluation(name="c"), case(""), verdicts())

    assert grade.status is Status.NOT_EVALUATED
