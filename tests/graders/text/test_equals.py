import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.equals import Equals
from tests.support import case


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("42", 1),
        ("\u00a042\ufeff\n", 1),
        ("\u200b42", 0),
        ("42.0", 0),
        ("4 2", 0),
        ("", 0),
    ],
)
def test_only_white_space_around_it_does_not_matter(answer, score):
    assert Equals(name="e", value="42").grade(case(answer), Services()).score == score


def test_a_number_is_no_text():
    with pytest.raises(ValueError, match="value"):
        Equals(name="e", value=42)
