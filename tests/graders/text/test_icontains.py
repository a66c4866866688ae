import pytest

from agentevals.graders.grader import Services
from agentevals.graders.text.icontains import ContainsInAnyCase
from tests.support import case


@pytest.mark.parametrize(
    ("answer", "value", "score"),
    [
        ("Hello WORLD", "world", 1),
        ("hello", "HELLO", 1),
        ("STRASSE", "straße", 0),
        ("İSTANBUL", "istanbul", 0),
    ],
)
def test_both_are_lower_case_and_no_more_than_that(answer, value, score):
    grader = ContainsInAnyCase(name="c", value=value)

    assert grader.grade(case(answer), Services()).score == score


def test_a_sentence_says_that_case_does_not_matter():
    grader = ContainsInAnyCase(name="c", value="x")

    assert grader.grade(case("X"), Services()).hits == ('Output contains "x" (case-insensitive)',)
    assert grader.grade(case("y"), Services()).reasoning == (
        'Output does not contain "x" (case-insensitive)'
    )
