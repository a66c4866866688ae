from agentevals.configs.plan import Expectation, Plan
from agentevals.graders.agentv.composite import Composite
from agentevals.graders.text.checks import Contains


def contains(name):
    return Contains(name=name, value="x")


def composite(name, *evaluators):
    return Composite(name=name, evaluators=evaluators)


def test_evaluators_that_others_are_made_of_are_among_all_of_them():
    deep = composite("a", contains("b"), composite("c", contains("d")))
    plan = Plan(
        title="p",
        graders=(deep, contains("e")),
        expectations=(Expectation(case_id="1", graders=(composite("f", contains("g")),)),),
    )

    assert [grader.name for grader in plan.all_graders] == ["a", "b", "c", "d", "e", "f", "g"]
    assert [grader.name for grader in plan.outer_graders] == ["a", "e", "f"]


def test_what_is_made_of_nothing_has_nothing_inside():
    assert contains("a").inner == ()
