import pytest

from agentevals.graders.grader import Services
from agentevals.graders.grading import grade_case
from agentevals.graders.uipath.uipath_llm_judges import (
    SemanticSimilarity,
    StrictJsonSimilarity,
    TrajectorySimilarity,
    TrajectorySimulation,
)
from agentevals.model.cases import Case, Status
from agentevals.model.conversations import ToolCall
from tests.graders.llm.questions.scripted import USELESS, ScriptedJudge, judged
from tests.graders.uipath.cases import of
from tests.support import case, conversation, turn


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

    result = grade_case(grader, given, Services(judge=ScriptedJudge(answer)))
    assert (result.status, result.score) == (status, None)


def test_the_judge_is_shown_the_part_that_is_compared():
    grader = StrictJsonSimilarity(
        name="s", target_output_key="r", expected_output={"r": {"a": "wanted"}}
    )

    grade, judge = judged(
        grader, of({"r": {"a": "found"}, "o": "elsewhere"}), {"justification": "", "score": 50}
    )
    assert grade.score == 0.5
    assert '{"a": "found"}' in judge.prompts[0]
    assert "elsewhere" not in judge.prompts[0]


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


def test_the_judge_is_told_what_was_played():
    grader = TrajectorySimulation(
        name="t", prompt="Judge this.", simulation_instructions="the shop is closed"
    )

    grade, judge = judged(
        grader, case("done", criteria="It waits."), {"justification": "", "score": 100}
    )
    assert grade.score == 1
    assert "the shop is closed" in judge.prompts[0]
