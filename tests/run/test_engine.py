import threading

import pytest
from pydantic import ValidationError

from agentevals.configs.plan import Expectation, Plan
from agentevals.graders.grader import Grader, Services
from agentevals.graders.text.checks import Contains
from agentevals.model.cases import Case, Grade, Status
from agentevals.model.errors import EvaluatorError, InputError, UnavailableError
from agentevals.model.results import Blame
from agentevals.run.engine import Grading
from tests.support import case, conversation, turn


class Says(Grader):
    """Returns what it was told to, or raises it."""

    type = "says"

    answer: object = None

    def grade(self, case, services):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Waits(Says):
    """The same, in a thread."""

    type = "waits"
    waits = True


class Compares(Says):
    """The same, but it needs an expectation."""

    type = "compares"
    needs_expectation = True


def graded(*graders, cases=None, jobs=2):
    plan = Plan(title="t", graders=graders)
    return list(Grading(plan, cases or [case()], Services(), jobs=jobs))


def only(*graders):
    ((_, results),) = graded(*graders)
    return results


@pytest.mark.parametrize(
    ("grade", "status"),
    [
        (Grade(score=0.5), Status.PASSED),
        (Grade(score=0.49), Status.FAILED),
        (Grade(score=None), Status.NOT_EVALUATED),
        (Grade(score=0.1, status=Status.PASSED), Status.PASSED),
    ],
)
def test_the_threshold_decides_unless_the_grader_did(grade, status):
    assert only(Says(name="s", answer=grade))[0].status is status


@pytest.mark.parametrize("kind", [Says, Waits])
@pytest.mark.parametrize(
    ("raised", "blame"),
    [
        (EvaluatorError("broke"), Blame.EVALUATOR),
        (InputError("broke"), Blame.INPUT),
        (UnavailableError("broke"), Blame.OUTSIDE),
        (ZeroDivisionError("broke"), Blame.BUG),
    ],
)
def test_a_grader_that_breaks_costs_its_own_result_only(kind, raised, blame):
    broken, fine = only(
        kind(name="broken", answer=raised), Says(name="fine", answer=Grade(score=1.0))
    )

    assert (broken.status, broken.blame, broken.score) == (Status.ERROR, blame, None)
    assert "broke" in broken.error
    assert fine.status is Status.PASSED


@pytest.mark.parametrize("weight", [-1, 1e10, 1e308, float("inf"), float("nan")])
def test_weights_are_such_that_they_add_up(weight):
    with pytest.raises(ValidationError, match="weight"):
        Contains(name="a", value="b", weight=weight)


def test_what_needs_an_expectation_is_not_asked_without_one():
    (result,) = only(Compares(name="c", answer=AssertionError("asked")))

    assert (result.status, result.score) == (Status.NOT_EVALUATED, None)


def test_results_come_in_the_order_of_cases_and_config_however_long_each_takes():
    second_done = threading.Event()

    class First(Waits):
        type = "first"

        def grade(self, case, services):
            assert second_done.wait(timeout=30)
            return Grade(score=1.0)

    class Second(Waits):
        type = "second"

        def grade(self, case, services):
            second_done.set()
            return Grade(score=1.0)

    results = only(First(name="first"), Second(name="second"))

    assert [result.name for result in results] == ["first", "second"]


def test_a_long_run_is_not_begun_all_at_once():
    begun, handed_on = 0, 0

    def endless():
        nonlocal begun
        for number in range(500):
            begun += 1
            yield Case(conversation=conversation(turn(), name=str(number)))

    plan = Plan(title="t", graders=(Waits(name="w", answer=Grade(score=1.0)),))
    for _ in Grading(plan, endless(), Services(), jobs=2):
        handed_on += 1
        assert begun - handed_on <= 2 * 8 + 1

    assert handed_on == 500


def test_a_conversation_that_could_not_be_read_is_not_graded():
    unreadable = Case(conversation=conversation(error="No invocations extracted from trace."))

    ((_, results),) = graded(Says(name="s", answer=AssertionError()), cases=[unreadable])

    assert results == ()


class Together(Waits):
    """Judges cases in batches, and says how many each has."""

    type = "together"

    @property
    def batches(self):
        return True

    def grade_batch(self, cases, services):
        if isinstance(self.answer, Exception):
            raise self.answer
        return [Grade(score=1.0, details={"of": len(cases)}) for _ in cases]


@pytest.mark.parametrize("jobs", [1, 3])
def test_cases_of_a_batch_follow_each_other(jobs):
    found = graded(Together(name="t"), cases=[case() for _ in range(21)], jobs=jobs)

    assert [one.details["of"] for _, (one,) in found] == [8] * 16 + [5] * 5


def test_what_a_batch_raises_is_the_error_of_each_of_its_cases():
    found = graded(Together(name="t", answer=ZeroDivisionError("broke")), cases=[case(), case()])

    assert [(one.status, one.blame) for _, (one,) in found] == [(Status.ERROR, Blame.BUG)] * 2


def test_a_batch_does_not_wait_for_cases_that_nobody_has_read(tmp_path):
    """The first case is handed on although no other one is for this grader."""
    read = []

    def read_cases():
        for number in range(1000):
            read.append(number)
            yield Case(conversation=conversation(turn()), eval_case_id=str(number))

    expected = Expectation(case_id="0", graders=(Together(name="t"),))
    plan = Plan(title="t", expectations=(expected,))
    _, (first,) = next(iter(Grading(plan, read_cases(), Services(), jobs=2)))

    assert first.details == {"of": 1}
    assert len(read) < 100
