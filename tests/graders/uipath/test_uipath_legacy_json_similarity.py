from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_legacy_json_similarity import LegacyJsonSimilarity
from tests.graders.uipath.cases import of


def test_a_score_is_from_0_to_1():
    grader = LegacyJsonSimilarity(name="j", expected_output={"a": 1, "b": "x"})

    assert grader.grade(of({"a": 1, "b": "y"}), Services()).score == 0.5
