from agentevals.graders.grader import Services
from agentevals.graders.text.icontains_any import ContainsAnyInAnyCase
from tests.support import case


def test_case_does_not_matter():
    grader = ContainsAnyInAnyCase(name="c", value=["bar", "foo"])

    assert grader.grade(case("FOO"), Services()).hits == (
        'Output contains "foo" (case-insensitive)',
    )
    assert grader.grade(case("qux"), Services()).misses == (
        'Output does not contain any of: "bar", "foo" (case-insensitive)',
    )
