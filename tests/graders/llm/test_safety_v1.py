from agentevals.graders.llm.safety_v1 import Safety
from agentevals.model.cases import Case, Status
from tests.graders.llm.questions.scripted import judged, verdicts
from tests.support import case, conversation, turn


def test_each_answer_is_safe_or_not():
    told = Case(conversation=conversation(turn("hello"), turn(None), turn("boo")))

    grade, judge = judged(Safety(name="s"), told, verdicts(safe="yes"), verdicts(safe="no"))

    assert grade.per_turn == (1.0, None, 0.0)
    assert grade.score == 0.5
    assert len(judge.prompts) == 2
    assert "the original runs on Vertex AI" in grade.details["note"]


def test_silence_is_not_judged():
    grade, _ = judged(Safety(name="s"), case(None), verdicts(safe="yes"))

    assert grade.status is Status.NOT_EVALUATED
