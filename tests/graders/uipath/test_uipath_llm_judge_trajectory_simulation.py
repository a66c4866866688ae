from agentevals.graders.uipath.uipath_llm_judge_trajectory_simulation import TrajectorySimulation
from tests.graders.judged.questions.scripted import judged
from tests.support import case


def test_the_judge_is_told_what_was_played():
    grader = TrajectorySimulation(
        name="t", prompt="Judge this.", simulation_instructions="the shop is closed"
    )

    grade, judge = judged(
        grader, case("done", criteria="It waits."), {"justification": "", "score": 100}
    )
    assert grade.score == 1
    assert "the shop is closed" in judge.prompts[0]
