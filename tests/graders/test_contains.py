from agentevals.graders.contains import Contains
from agentevals.grading import Services
from tests.support import case


def test_a_text_is_found_letter_by_letter():
    grader = Contains(name="c", value="DENIED")

    assert grader.grade(case("it is DENIED"), Services()).hits == ('Output contains "DENIED"',)
    assert grader.grade(case("it is denied"), Services()).score == 0
