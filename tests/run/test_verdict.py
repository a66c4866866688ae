import pytest

from agentevals.model.cases import Status
from agentevals.model.policy import Policy
from agentevals.model.results import Blame, CaseReport, Result, Severity, Verdict
from agentevals.run.verdict import Tally, judge_case, lacks_evidence, score_of
from tests.compare.runs import unknown

AGENTV = Policy(pass_at=0.8, borderline_at=0.6)


def result(score=None, status=Status.PASSED, **fields):
    return Result(name="r", type="t", status=status, score=score, **fields)


FAILED = result(0.2, Status.FAILED)
ERROR = result(None, Status.ERROR, error="broke", blame=Blame.EVALUATOR)
NOTHING = result(None, Status.NOT_EVALUATED)


@pytest.mark.parametrize(
    ("results", "policy", "lacks"),
    [
        ([unknown()], Policy(), True),
        ([unknown(required=0.5), result(0.9)], Policy(), True),
        ([unknown(), FAILED], Policy(), False),
        ([unknown(), ERROR], Policy(), False),
        ([unknown(), NOTHING], Policy(), False),
        ([unknown(), NOTHING], Policy(fail_on_not_evaluated=False), True),
        ([NOTHING], Policy(), False),
        ([unknown(), result(0.2, Status.FAILED)], AGENTV, False),
        ([unknown(), result(0.7, Status.FAILED)], AGENTV, True),
        ([unknown(), result(0.7, required=0.8)], AGENTV, False),
    ],
)
def test_a_case_lacks_evidence_if_nothing_else_fails_it(results, policy, lacks):
    assert lacks_evidence(results, score_of(results), policy) is lacks


@pytest.mark.parametrize(
    ("results", "score"),
    [
        ([result(1.0, weight=3), result(0.0)], 0.75),
        ([result(0.5), result(0.0, Status.NOT_EVALUATED)], 0.5),
        ([result(0.5), ERROR], 0.5),
        ([result(1.0, weight=0)], None),
        ([], None),
    ],
)
def test_the_score_is_the_weighted_mean_of_what_was_evaluated(results, score):
    assert score_of(results) == score


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        ([result(0.9), result(0.1)], Verdict.PASS),
        ([result(0.9), FAILED], Verdict.FAIL),
        ([result(0.9), ERROR], Verdict.ERROR),
        ([NOTHING, ERROR], Verdict.ERROR),
        ([FAILED, ERROR], Verdict.FAIL),
        ([result(0.9), NOTHING], Verdict.FAIL),
        ([], Verdict.FAIL),
    ],
)
def test_without_bounds_a_case_passes_when_every_evaluator_does(results, verdict):
    assert judge_case(results, score_of(results), Policy()) is verdict


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        ([result(0.9, weight=3), result(0.7)], Verdict.PASS),
        ([result(0.8)], Verdict.PASS),
        ([result(0.7)], Verdict.BORDERLINE),
        ([result(0.6)], Verdict.BORDERLINE),
        ([result(0.5)], Verdict.FAIL),
        ([result(1.0, weight=9), result(0.7, required=0.8)], Verdict.FAIL),
        ([result(1.0), result(None, Status.ERROR, required=0.0)], Verdict.ERROR),
        ([result(0.7, required=0.8), ERROR], Verdict.FAIL),
        ([result(0.9), result(0.1, Status.FAILED)], Verdict.FAIL),
    ],
)
def test_with_bounds_the_score_decides_and_gates_overrule_it(results, verdict):
    assert judge_case(results, score_of(results), AGENTV) is verdict


def test_what_was_not_evaluated_can_be_let_through_but_not_when_it_is_required():
    lenient = Policy(fail_on_not_evaluated=False)
    gate = result(None, Status.NOT_EVALUATED, required=0.5)

    assert judge_case([result(1.0), NOTHING], 1.0, lenient) is Verdict.PASS
    assert judge_case([result(1.0), gate], 1.0, lenient) is Verdict.FAIL


def tally(*results, verdict=Verdict.PASS, **fields):
    total = Tally()
    total.add(CaseReport(case_id="c", verdict=verdict, results=results, **fields))
    return total


def test_each_gate_that_was_missed_is_a_note_with_the_cases_that_it_fails():
    total = Tally()
    for number in range(5):
        missed = result(0.7, required=0.9)
        total.add(CaseReport(case_id=f"c{number}", verdict=Verdict.FAIL, results=(missed,)))
    other = result(0.7, required=0.8)
    total.add(CaseReport(case_id="alone", verdict=Verdict.FAIL, results=(other, result(1.0))))

    several, one = total.missed_gates
    assert (several.severity, one.severity) == (Severity.NOTE, Severity.NOTE)
    assert several.message == (
        "evaluator 'r': required to score 0.90; "
        "this fails 5 cases ('c0', 'c1', 'c2' and 2 more) at any score"
    )
    assert one.message == (
        "evaluator 'r': required to score 0.80; this fails case 'alone' at any score"
    )


def test_no_more_gates_are_noted_than_anybody_reads():
    total = Tally()
    for number in range(1, 100):
        missed = result(0.0, required=number / 100)
        total.add(CaseReport(case_id="c", verdict=Verdict.FAIL, results=(missed,)))

    assert len(total.missed_gates) == 50


def test_every_kind_is_counted():
    counts = tally(result(1.0), FAILED, ERROR, NOTHING, verdict=Verdict.FAIL).counts

    assert counts == {
        "cases": 1,
        "cases_pass": 0,
        "cases_borderline": 0,
        "cases_fail": 1,
        "cases_unscored": 0,
        "results": 4,
        "results_passed": 1,
        "results_failed": 1,
        "results_not_evaluated": 1,
        "results_error": 1,
    }


def test_every_way_of_confinement_is_said_once():
    total = tally(result(1.0, isolation="full"), result(1.0, isolation="full"))
    total.add(CaseReport(case_id="d", verdict=Verdict.PASS, results=(result(1, isolation="x"),)))

    assert total.isolation == "full; x"
