"""Evaluators in error: one finding for each reason, with the cases that it concerns."""

import pytest

from agentevals.compare.evaluator_errors import EvaluatorErrors
from agentevals.model.cases import Status
from agentevals.model.outcome import Change, FailOn, Kind
from agentevals.model.results import Blame, Severity, Verdict
from tests.compare.runs import against, case, report, result

CRASH = (
    "evaluator 'mine' exited with code 1: boom\nTraceback (most recent call last):\n"
    "  File \"/repo/mine.py\", line 3, in mine\nKeyError: 'final_response'"
)


def broken(name="mine", error=CRASH, blame=Blame.EVALUATOR):
    return result(name, None, status=Status.ERROR, error=error, blame=blame)


def told(*cases):
    errors = EvaluatorErrors()
    for one in cases:
        errors.add(one)
    return [found.message for found in errors.findings()]


def test_a_crash_in_all_cases_is_told_once():
    cases = [case(f"c{number}", broken()) for number in range(8)]

    assert told(*cases) == [
        "evaluator 'mine' crashed in all 8 cases: KeyError: 'final_response' (mine.py:3)"
    ]


def test_of_some_cases_the_first_are_named():
    cases = [case(f"c{number}", broken() if number else result("mine", 1.0)) for number in range(6)]

    assert told(*cases)[0].startswith(
        "evaluator 'mine' crashed in 5 of 6 cases (c1, c2, c3 and 2 more)"
    )


def test_the_only_case_needs_no_name():
    assert told(case("a", broken()))[0].startswith("evaluator 'mine' crashed in the only case: ")


@pytest.mark.parametrize(
    ("blame", "error", "message"),
    [
        (
            Blame.OUTSIDE,
            "the judge cannot be reached",
            (
                "evaluator 'mine' could not reach a service that it needs in the only case: "
                "the judge cannot be reached"
            ),
        ),
        (
            Blame.INPUT,
            "no judge is configured",
            ("evaluator 'mine' cannot use its input in the only case: no judge is configured"),
        ),
        (
            Blame.EVALUATOR,
            "evaluator 'mine' gave the score 2",
            "evaluator 'mine' ended in an error in the only case: gave the score 2",
        ),
        (
            Blame.BUG,
            "bug in t: KeyError(1)",
            "evaluator 'mine' ran into a bug of agentevals in the only case: bug in t: KeyError(1)",
        ),
        (Blame.EVALUATOR, "", "evaluator 'mine' ended in an error in the only case"),
    ],
)
def test_whose_doing_it_is_is_told(blame, error, message):
    assert told(case("a", broken(error=error, blame=blame))) == [message]


def test_many_different_errors_are_counted():
    cases = [case(f"c{number}", broken(error=f"gave {number}")) for number in range(25)]

    assert len(told(*cases)) == 21
    assert told(*cases)[-1] == "evaluator 'mine' ended in an error 5 more times, for other reasons"


def test_a_finding_is_an_error_of_its_own_rule():
    errors = EvaluatorErrors()
    errors.add(case("a", broken(blame=Blame.OUTSIDE)))
    [found] = errors.findings()

    assert (found.severity, found.rule) == (Severity.ERROR, "evaluator-error")
    assert found.blame is Blame.OUTSIDE


class TestBesideABase:
    CRASHED = report([case(name, result("path", 1.0), broken()) for name in "ab"])
    PASSED = report([case(name, result("path", 1.0), result("mine", 1.0)) for name in "ab"])

    @pytest.mark.parametrize("base", [CRASHED, PASSED])
    @pytest.mark.parametrize("fail_on", FailOn)
    def test_nothing_is_unchanged_where_nobody_can_tell(self, base, fail_on):
        outcome = against(self.CRASHED, base, fail_on=fail_on)

        assert outcome.verdict is Verdict.ERROR
        assert not {gate.change for gate in outcome.gates} & {Change.UNCHANGED, Change.REGRESSED}
        assert outcome.against.reason == (
            "no case has a verdict on both sides: evaluators ended in errors"
        )

    def test_a_case_in_error_has_neither_failed_nor_regressed(self):
        outcome = against(self.CRASHED, self.PASSED)

        assert {shown.kind for shown in outcome.highlights} == {Kind.ERROR}
        assert (outcome.counts.failed, outcome.counts.regressed, outcome.counts.errors) == (0, 0, 2)
        assert [shown.reasons for shown in outcome.highlights] == [(), ()]

    def test_a_case_whose_base_was_in_error_is_not_fixed(self):
        outcome = against(self.PASSED, self.CRASHED)

        assert outcome.counts.fixed == 0
        assert outcome.verdict is Verdict.PASS

    def test_a_case_that_fails_as_well_is_listed_by_what_failed_it(self):
        failing = report([case("a", result("path", 0.0), broken())])
        [shown] = against(failing, self.PASSED).highlights[:1]

        assert shown.kind is Kind.REGRESSED
        assert [reason.evaluator for reason in shown.reasons] == ["path"]

    def test_a_score_of_what_was_left_is_no_score_of_the_run(self):
        assert self.CRASHED.score is None
