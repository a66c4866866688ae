import pytest

from agentevals.graders.grader import Services
from agentevals.graders.uipath.uipath_contains import Contains
from tests.graders.uipath.cases import of


@pytest.mark.parametrize(
    ("output", "text", "settings", "score"),
    [
        ({"r": "The QUICK fox"}, "quick", {}, 1),
        ({"r": "The QUICK fox"}, "quick", {"case_sensitive": True}, 0),
        ({"r": "fox", "o": "slow"}, "slow", {"target_output_key": "r"}, 0),
        ({"n": 8}, "8.0", {}, 1),
        ({"r": "x"}, "'r'", {}, 1),
        ("anything", "", {}, 1),
        ("abc", "b", {"negated": True}, 0),
        ("abc", "z", {"negated": True}, 1),
        ("err 1\nok", "err", {"line_by_line_evaluator": True}, 0.5),
    ],
)
def test_score(output, text, settings, score):
    grader = Contains(name="c", search_text=text, **settings)

    assert grader.grade(of(output), Services()).score == score


@pytest.mark.parametrize(
    ("negated", "miss"),
    [
        (False, "the output does not contain 'x'; it is 'Fine'"),
        (True, "the output contains 'fine'"),
    ],
)
def test_a_miss_says_what_the_output_is(negated, miss):
    grader = Contains(name="c", search_text="fine" if negated else "x", negated=negated)

    assert grader.grade(of("Fine"), Services()).misses == (miss,)
