"""What the results of a run come to: one verdict and one exit code, whoever asks."""

import pytest

from agentevals.compare.settlement import judge_all
from agentevals.model.cases import Status
from agentevals.model.outcome import Counts, FailOn, Outcome
from agentevals.model.policy import Acceptance, Limit, Policy, Unsure
from agentevals.model.results import Blame, CaseReport, Finding, Result, Severity, Verdict
from agentevals.run.verdict import judge_case, score_of
from tests.compare.runs import against, report, run, settled


def result(score=None, status=Status.PASSED, **fields):
    return Result(name="r", type="t", status=status, score=score, **fields)


FAILED = result(0.2, Status.FAILED)
ERROR = result(None, Status.ERROR, error="broke", blame=Blame.EVALUATOR)
NOTHING = result(None, Status.NOT_EVALUATED)


def finding(severity=Severity.ERROR, blame=None):
    return Finding(severity=severity, rule="r", message="m", blame=blame)


def case(*results, policy=None, **fields):
    score = score_of(results)
    known = {"verdict": judge_case(results, score, policy or Policy()), "score": score}
    return CaseReport(**{"case_id": "c", "results": results, **known, **fields})


def test_a_run_that_judged_nothing_does_not_pass():
    assert settled([]).verdict is Verdict.FAIL
    assert settled([case(NOTHING)]).verdict is Verdict.FAIL
    assert settled([case(NOTHING, verdict=Verdict.PASS)]).verdict is Verdict.FAIL


def test_a_run_is_as_good_as_its_worst_case():
    total = settled([case(result(1.0)), case(result(0.7), verdict=Verdict.BORDERLINE)])

    assert (total.verdict, total.exit_code) == (Verdict.BORDERLINE, 0)


def test_only_findings_that_are_errors_fail_a_run():
    passed = [case(result(1.0))]

    assert settled(passed, findings=[finding(Severity.WARNING)]).verdict is Verdict.PASS
    assert settled(passed, findings=[finding()]).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("results", "findings", "code"),
    [
        ([result(1.0)], [], 0),
        ([FAILED], [], 1),
        ([NOTHING], [], 1),
        ([ERROR], [], 1),
        ([result(1.0)], [finding()], 1),
        ([result(1.0)], [finding(blame=Blame.INPUT)], 2),
        ([FAILED], [finding(blame=Blame.INPUT)], 1),
        ([result(None, Status.ERROR, blame=Blame.INPUT)], [], 2),
        ([result(None, Status.ERROR, blame=Blame.OUTSIDE)], [], 3),
        ([result(None, Status.ERROR, blame=Blame.BUG)], [], 4),
        ([result(None, Status.ERROR, blame=Blame.OUTSIDE), FAILED], [], 1),
        ([result(1.0)], [finding(Severity.WARNING, Blame.INPUT)], 0),
    ],
)
def test_the_exit_code_says_whose_turn_it_is(results, findings, code):
    assert settled([case(*results)], findings=findings).exit_code == code


def in_error(blame):
    return result(None, Status.ERROR, error="broke", blame=blame)


def test_the_most_severe_error_gives_the_exit_code():
    blames = (Blame.EVALUATOR, Blame.INPUT, Blame.OUTSIDE)
    every = [case(in_error(blame), case_id=blame) for blame in blames]

    assert [settled(every[:count]).exit_code for count in (1, 2, 3)] == [1, 2, 3]


def test_a_run_in_error_is_no_failure_of_the_agent():
    total = settled([case(ERROR), case(result(1.0), case_id="other")])

    assert (total.verdict, total.exit_code) == (Verdict.ERROR, 1)
    assert (total.counts.failed, total.counts.errors, total.counts.passed) == (0, 1, 1)


def test_a_case_to_which_another_evaluator_objects_is_a_failure_of_the_agent():
    total = settled([case(ERROR, FAILED), case(ERROR, case_id="other")])

    assert (total.verdict, total.exit_code) == (Verdict.FAIL, 1)
    assert (total.counts.failed, total.counts.errors) == (1, 1)


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [(FailOn.FAILED, 1), (FailOn.REGRESSED, 1), (FailOn.ERROR, 1), (FailOn.NEVER, 0)],
)
def test_an_error_fails_a_run_whatever_fails_it_and_is_told_even_if_nothing_does(fail_on, code):
    total = against(report([case(ERROR)]), fail_on=fail_on)

    assert (total.verdict, total.exit_code) == (Verdict.ERROR, code)


def test_a_tolerated_failure_makes_no_failure_of_an_error():
    cases = [case(ERROR), case(FAILED, case_id="other")]
    total = against(report(cases), fail_on=FailOn.ERROR)

    assert (total.verdict, total.exit_code) == (Verdict.ERROR, 1)


def test_a_limit_that_errors_kept_from_being_measured_is_no_failure_of_the_agent():
    policy = Policy(limits={"pass_rate": Limit(at_least=0.9)})

    assert settled([case(ERROR)], policy).verdict is Verdict.ERROR
    other = case(FAILED, case_id="other")
    assert settled([case(ERROR), other], policy).verdict is Verdict.FAIL


ACCEPTED = Acceptance(case="bad", reason="waits for the new model", until="2026-11-18")
EXPIRED = Acceptance(case="bad", reason="waits for the new model", until="2026-11-17")


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        (Policy(), Verdict.FAIL),
        (Policy(limits={"pass_rate": Limit(at_least=0.5)}), Verdict.PASS),
        (Policy(limits={"pass_rate": Limit(at_least=0.9)}), Verdict.FAIL),
        (Policy(limits={"score": Limit(at_least=0.9)}, accepted=(ACCEPTED,)), Verdict.FAIL),
        (Policy(limits={"evaluator:path": Limit(at_least=0.9)}), Verdict.FAIL),
        (Policy(limits={"cost": Limit(at_most=1)}, accepted=(ACCEPTED,)), Verdict.FAIL),
        (Policy(accepted=(ACCEPTED,)), Verdict.PASS),
        (Policy(accepted=(EXPIRED,)), Verdict.FAIL),
        (
            Policy(
                limits={"score": Limit(max_drop=0.1)},
                accepted=(ACCEPTED,),
                on_no_baseline=Unsure.FAIL,
            ),
            Verdict.FAIL,
        ),
    ],
)
def test_limits_and_acceptances_hold_without_anything_to_compare_with(policy, verdict):
    alone = against(run({"good": 1, "bad": 0}, policy=policy))

    assert alone.verdict is alone.report.verdict is verdict
    assert alone.exit_code == alone.report.exit_code == (verdict is Verdict.FAIL)


@pytest.mark.parametrize("fail_on", FailOn)
def test_a_run_has_one_verdict_wherever_it_is_written(fail_on):
    outcome = against(run({"a": 0, "b": 0}), run({"a": 1, "b": 0}), fail_on=fail_on)

    assert outcome.report.verdict is outcome.verdict
    assert outcome.report.exit_code == outcome.exit_code


def test_an_evaluator_beyond_those_that_are_shown_keeps_its_limit():
    names = [f"e{number:02}" for number in range(30)]
    policy = Policy(limits={"evaluator:e29": Limit(at_least=0.9), "pass_rate": Limit(at_least=0)})
    scores = dict.fromkeys(names, 1.0) | {"e29": 0.6}

    assert against(run({"a": scores}, policy=policy)).exit_code == 1
    assert against(report([], policy=policy)).exit_code == 1


def outcome(verdict=Verdict.PASS, exit_code=0, cases=1):
    counts = Counts(cases=cases)
    return Outcome(config="c.yaml", title="c", verdict=verdict, exit_code=exit_code, counts=counts)


@pytest.mark.parametrize(
    ("outcomes", "notes", "expected"),
    [
        ([outcome(), outcome()], [], (Verdict.PASS, 0)),
        ([outcome(), outcome(Verdict.BORDERLINE)], [], (Verdict.BORDERLINE, 0)),
        ([outcome(Verdict.FAIL, 0), outcome()], [], (Verdict.FAIL, 0)),
        ([outcome()], [finding(blame=Blame.INPUT)], (Verdict.ERROR, 2)),
        ([outcome()], [finding(blame=Blame.BUG)], (Verdict.ERROR, 4)),
        ([outcome(Verdict.ERROR, 1), outcome(Verdict.ERROR, 3)], [], (Verdict.ERROR, 3)),
        ([outcome(Verdict.ERROR, 2)], [finding(blame=Blame.OUTSIDE)], (Verdict.ERROR, 3)),
        ([outcome(Verdict.ERROR, 3), outcome(Verdict.FAIL, 1)], [], (Verdict.FAIL, 1)),
        ([outcome(Verdict.ERROR, 1), outcome(Verdict.FAIL, 0)], [], (Verdict.ERROR, 1)),
        ([outcome(Verdict.ERROR, 0), outcome()], [], (Verdict.ERROR, 0)),
        ([outcome()], [finding(Severity.WARNING, Blame.INPUT)], (Verdict.PASS, 0)),
        ([outcome(cases=0)], [], (None, 0)),
        ([], [finding(blame=Blame.OUTSIDE)], (Verdict.ERROR, 3)),
    ],
)
def test_a_review_is_as_bad_as_its_worst_part(outcomes, notes, expected):
    assert judge_all(outcomes, notes) == expected
