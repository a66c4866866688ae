from agentevals.graders.grader import Services
from agentevals.graders.text.contains_all import ContainsAll
from tests.support import case


def test_all_texts_have_to_be_there():
    grader = ContainsAll(name="c", value=["alpha", "beta", "gamma"])

    assert grader.grade(case("gamma beta alpha"), Services()).hits == (
        "Output contains all 3 expected strings",
    )


def test_some_of_them_are_worth_nothing_and_the_others_are_named():
    grade = ContainsAll(name="c", value=["alpha", "beta", "gamma"]).grade(case("alpha"), Services())

    assert grade.score == 0
    assert grade.misses == ('Output missing: "beta", "gamma"',)
