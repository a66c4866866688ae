import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.ends_with import EndsWith
from tests.support import case


@pytest.mark.parametrize(
    ("answer", "score"), [("the end.  \n", 1), ("the end!", 0), ("end. no", 0)]
)
def test_white_space_around_both_does_not_matter(answer, score):
    assert EndsWith(name="e", value="end.").grade(case(answer), Services()).score == score


def test_a_sentence_says_how_it_should_end():
    grade = EndsWith(name="e", value="end.").grade(case("no"), Services())

    assert grade.misses == ('Output does not end with "end."',)
