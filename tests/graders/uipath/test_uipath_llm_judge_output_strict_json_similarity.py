from agentevals.graders.uipath.uipath_llm_judge_output_strict_json_similarity import (
    StrictJsonSimilarity,
)
from tests.graders.judged.questions.scripted import judged
from tests.graders.uipath.cases import of


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
