import pytest

from agentevals.graders.llm.vertex import (
    ResponseEvaluation,
    Safety,
    TaskSuccess,
    ToolUseQuality,
    TrajectoryQuality,
)
from agentevals.model.cases import Case, Status
from tests.graders.llm.questions.scripted import all_met_but_one, judged, verdicts
from tests.support import case, conversation, turn

BY_CONVERSATION = [TaskSuccess, TrajectoryQuality, ToolUseQuality]


def test_each_answer_is_safe_or_not():
    told = Case(conversation=conversation(turn("hello"), turn(None), turn("boo")))

    grade, judge = judged(Safety(name="s"), told, verdicts(safe="yes"), verdicts(safe="no"))

    assert grade.per_turn == (1.0, None, 0.0)
    assert grade.score == 0.5
    assert len(judge.prompts) == 2


def test_the_score_is_the_share_of_properties_of_a_coherent_answer():
    said = verdicts(to_the_point="yes", ordered="yes", consistent="no", complete="yes")

    grade, _ = judged(ResponseEvaluation(name="c"), case("hello"), said)

    assert grade.score == 0.75
    assert grade.misses == ("It does not contradict itself: consistent is no",)


@pytest.mark.parametrize("silence", [None, ""])
@pytest.mark.parametrize("kind", [Safety, ResponseEvaluation])
def test_silence_is_not_judged(kind, silence):
    grade, _ = judged(kind(name="s"), case(silence), verdicts(safe="yes"))

    assert grade.status is Status.NOT_EVALUATED


@pytest.mark.parametrize("kind", BY_CONVERSATION)
def test_the_score_is_the_share_of_properties_of_the_whole_conversation(kind):
    told = Case(conversation=conversation(turn("a"), turn("b")))

    grade, properties = all_met_but_one(kind(name="x"), told)

    assert grade.score == (properties - 1) / properties
    assert grade.per_turn == (None, grade.score)
    assert len(grade.misses) == 1


@pytest.mark.parametrize("kind", [Safety, ResponseEvaluation, *BY_CONVERSATION])
def test_it_says_that_it_is_not_the_original(kind):
    told = Case(conversation=conversation(turn("a")))

    grade, _ = judged(kind(name="x"), told, verdicts())

    assert "the original runs on Vertex AI" in grade.details["note"]


@pytest.mark.parametrize("kind", BY_CONVERSATION)
def test_an_empty_conversation_is_not_judged(kind):
    grade, _ = judged(kind(name="x"), Case(conversation=conversation()), verdicts())

    assert grade.status is Status.NOT_EVALUATED
