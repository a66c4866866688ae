import pytest

from agentevals.model.results import Verdict
from agentevals.report.pages.status import DESCRIPTION, status
from tests.report.pages.reviews import FAILING, REVIEWS, review


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("failed", "failure"),
        ("passed", "success"),
        ("tolerated", "success"),
        ("broken", "error"),
        ("running", "pending"),
        ("unchanged", "success"),
    ],
)
def test_each_state_is_one_of_github(state, expected):
    assert status(REVIEWS[state]).state == expected


def test_the_answer_comes_first_and_the_rest_is_cut():
    said = status(REVIEWS["failed"]).description

    assert said.startswith("Not ready to merge: 2 of 6 gates fail. Pass rate 90.0 % (54/60),")
    assert len(said) <= DESCRIPTION


def test_a_bug_of_ours_is_an_error_and_no_failure():
    assert status(review(verdict=Verdict.FAIL, exit_code=4)).state == "error"
    assert status(review(FAILING, exit_code=3)).state == "error"
