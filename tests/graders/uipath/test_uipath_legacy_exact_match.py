import pytest

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_legacy_exact_match import LegacyExactMatch
from tests.graders.uipath.cases import of


@pytest.mark.parametrize(
    ("output", "wanted", "key", "score"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, "*", 1),
        ({"a": "X"}, {"a": "x"}, "*", 0),
        ({"a": True}, {"a": 1}, "*", 0),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, "a", 1),
        ({"b": 2}, {"c": 3}, "a", 1),
        ("x", "x", "*", 1),
    ],
)
def test_score(output, wanted, key, score):
    grader = LegacyExactMatch(name="e", expected_output=wanted, target_output_key=key)

    assert grader.grade(of(output), Services()).score == score
