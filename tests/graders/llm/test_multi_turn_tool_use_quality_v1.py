from agentevals.graders.llm.multi_turn_tool_use_quality_v1 import ToolUseQuality
from agentevals.model.cases import Case, Status
from tests.graders.llm.questions.scripted import all_met_but_one, judged, verdicts
from tests.support import conversation, turn


def test_the_score_is_the_share_of_properties_of_the_whole_conversation():
    told = Case(conversation=conversation(turn("a"), turn("b")))

    grade, properties = all_met_but_one(ToolUseQuality(name="x"), told)

    assert grade.score == (properties - 1) / properties
    assert grade.per_turn == (None, grade.score)
    assert len(grade.misses) == 1


def test_it_says_that_it_is_not_the_original():
    told = Case(conversation=conversation(turn("a")))

    grade, _ = judged(ToolUseQuality(name="x"), told, verdicts())

    assert "the original runs on Vertex AI" in grade.details["note"]


def test_an_empty_conversation_is_not_judged():
    grade, _ = judged(ToolUseQuality(name="x"), Case(conversation=conversation()), verdicts())

    assert grade.status is Status.NOT_EVALUATED
