from agentevals.graders.grader import Services
from agentevals.graders.text.icontains_all import ContainsAllInAnyCase
from tests.support import case


def test_case_does_not_matter():
    grader = ContainsAllInAnyCase(name="c", value=["Alpha", "beta"])

    assert grader.grade(case("aLPHA BETA"), Services()).hits == (
        "Output contains all 2 expected strings (case-insensitive)",
    )
    assert grader.grade(case("beta"), Services()).misses == (
        'Output missing (case-insensitive): "Alpha"',
    )
