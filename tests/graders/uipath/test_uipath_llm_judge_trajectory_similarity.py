from agentevals.graders.uipath.uipath_llm_judge_trajectory_similarity import TrajectorySimilarity
from agentevals.model.cases import Case, Status
from agentevals.model.conversations import ToolCall
from tests.graders.judged.questions.scripted import judged
from tests.support import case, conversation, turn

SAID = {"justification": "it looked first", "score": 90}


def test_the_judge_is_shown_what_was_done_and_what_was_expected():
    call = ToolCall(name="look_up", args={"id": 7}, response="found it")
    recorded = Case(
        conversation=conversation(turn("done", user="find 7", tool_calls=(call,))),
        criteria="It looks the thing up.",
    )

    grade, judge = judged(TrajectorySimilarity(name="t"), recorded, SAID)
    assert (grade.score, grade.hits) == (0.9, ("it looked first",))
    for shown in ("look_up", "found it", "find 7", "It looks the thing up."):
        assert shown in judge.prompts[0]


def test_the_behaviour_of_the_evaluator_wins():
    grader = TrajectorySimilarity(name="t", expectedAgentBehavior="asks first")

    _, judge = judged(grader, case("done", criteria="other"), SAID)
    assert "asks first" in judge.prompts[0]


def test_without_a_behaviour_there_is_nothing_to_judge():
    grade, judge = judged(TrajectorySimilarity(name="t"), case("done"), SAID)

    assert grade.status is Status.NOT_EVALUATED
    assert judge.prompts == []
