"""Several recordings of one case are one case, and a rule says how many of them must pass."""

import msgspec
import pytest

from agentevals.model.cases import Status
from agentevals.model.policy import Policy
from agentevals.model.results import Verdict
from agentevals.run.attempts import (
    Attempts,
    Places,
    describe_attempts,
    join_attempts,
    list_all,
    list_sources,
)
from tests.compare.runs import case, result, unknown

PASSED, FAILED = (result("path", 1.0),), (result("path", 0.0, misses=("a call is missing",)),)
LACKING = (unknown("path"),)
BROKEN = (result("path", None, status=Status.ERROR, error="boom"),)
UNSCORED = (result("path", None),)
LENIENT = Policy(fail_on_not_evaluated=False)


def attempts(*results, policy=None):
    return [case("a", *each, policy=policy) for each in results]


def join(*results, rule=None, policy=None):
    rule = {} if rule in {None, "most"} else {"attempts": rule}
    policy = msgspec.structs.replace(policy or Policy(), **rule)
    return join_attempts(attempts(*results, policy=policy), policy)


@pytest.mark.parametrize(
    ("passed", "failed", "passes"),
    [
        (3, 0, {"all", "any", "most"}),
        (2, 1, {"any", "most"}),
        (1, 1, {"any"}),
        (2, 2, {"any"}),
        (1, 9, {"any"}),
        (0, 3, set()),
    ],
)
def test_a_rule_says_how_many_attempts_must_pass(passed, failed, passes):
    results = [PASSED] * passed + [FAILED] * failed

    found = {
        rule for rule in ("all", "any", "most") if join(*results, rule=rule).verdict is Verdict.PASS
    }

    assert found == passes


def test_an_error_in_one_attempt_is_never_outvoted():
    for rule in ("all", "any", "most"):
        joined = join(PASSED, BROKEN, PASSED, rule=rule)

        assert joined.verdict is Verdict.ERROR
        assert [one.status for one in joined.results] == [Status.ERROR]


@pytest.mark.parametrize(
    ("results", "rule", "verdict"),
    [
        ([FAILED, FAILED, BROKEN], "most", Verdict.FAIL),
        ([FAILED, BROKEN, BROKEN], "most", Verdict.ERROR),
        ([FAILED, BROKEN], "all", Verdict.FAIL),
        ([FAILED, FAILED, BROKEN], "any", Verdict.ERROR),
        ([(*BROKEN, *FAILED), PASSED], "all", Verdict.FAIL),
    ],
)
def test_a_case_fails_where_no_attempt_in_error_could_save_it(results, rule, verdict):
    assert join(*results, rule=rule).verdict is verdict


def test_an_attempt_in_error_has_not_passed():
    assert describe_attempts(join(PASSED, BROKEN, PASSED)) == "2 of 3 attempts passed"


@pytest.mark.parametrize(
    ("results", "rule", "lacking", "verdict"),
    [
        ([PASSED, PASSED, LACKING], "most", False, Verdict.PASS),
        ([PASSED, LACKING, LACKING], "any", False, Verdict.PASS),
        ([FAILED, FAILED, LACKING], "most", False, Verdict.FAIL),
        ([FAILED, LACKING], "all", False, Verdict.FAIL),
        ([PASSED, FAILED, LACKING], "most", True, Verdict.FAIL),
        ([FAILED, LACKING], "any", True, Verdict.FAIL),
        ([PASSED, LACKING], "all", True, Verdict.FAIL),
        ([LACKING, LACKING], "any", True, Verdict.FAIL),
    ],
)
def test_missing_evidence_decides_only_where_it_could_turn_the_verdict(
    results, rule, lacking, verdict
):
    joined = join(*results, rule=rule)

    assert (bool(joined.lacks_evidence), joined.verdict) == (lacking, verdict)


def test_attempts_that_may_go_without_a_score_do_not_count():
    assert join(PASSED, UNSCORED, FAILED, PASSED, policy=LENIENT).verdict is Verdict.PASS
    assert join(UNSCORED, FAILED, policy=LENIENT).verdict is Verdict.FAIL
    assert join(UNSCORED, UNSCORED, policy=LENIENT).is_unscored


def test_attempts_that_are_borderline_make_the_case_borderline():
    policy = Policy(pass_at=0.8, borderline_at=0.5)
    near = (result("path", 0.6),)

    assert join(PASSED, near, policy=policy).verdict is Verdict.BORDERLINE
    assert join(PASSED, PASSED, near, policy=policy).verdict is Verdict.PASS
    assert join(FAILED, FAILED, near, policy=policy).verdict is Verdict.FAIL


def test_scores_are_means_and_the_reasons_are_those_of_an_attempt_that_decides():
    joined = join(PASSED, FAILED, FAILED)

    [found] = joined.results
    assert (joined.score, found.score) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert (found.status, found.misses) == (Status.FAILED, ("a call is missing",))
    assert join(PASSED, FAILED, PASSED).results[0].status is Status.PASSED


def test_attempts_that_fail_by_different_evaluators_name_all_of_them():
    def one(name):
        return tuple(result(other, float(other != name)) for other in ("a", "b", "c"))

    joined = join(one("a"), one("b"), one("c"))

    assert joined.verdict is Verdict.FAIL
    assert {found.name for found in joined.results if found.status is Status.FAILED} == set("abc")


def test_all_that_was_recorded_stays_with_the_case():
    recorded = [
        msgspec.structs.replace(one, trace_ids=(f"t{at}",), sources=(f"{at}.jsonl",))
        for at, one in enumerate(attempts(PASSED, FAILED, PASSED))
    ]

    joined = join_attempts(recorded, Policy())

    assert joined.trace_ids == ("t0", "t1", "t2")
    assert joined.sources == ("0.jsonl", "1.jsonl", "2.jsonl")
    assert list(list_all([joined])) == recorded
    assert msgspec.json.decode(msgspec.json.encode(joined), type=type(joined)) == joined


def test_the_files_of_the_attempts_that_failed_tell_where_to_look():
    recorded = [
        msgspec.structs.replace(one, sources=(f"{at}.jsonl",))
        for at, one in enumerate(attempts(FAILED, PASSED, FAILED))
    ]

    assert list_sources(join_attempts(recorded, Policy())) == ["0.jsonl", "2.jsonl"]
    assert list_sources(recorded[1]) == ["1.jsonl"]


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([PASSED], ""),
        ([PASSED, FAILED], "1 of 2 attempts passed"),
        ([PASSED, LACKING, PASSED], "2 of 3 attempts passed, 1 lacks evidence"),
    ],
)
def test_it_is_told_how_many_passed(results, told):
    assert describe_attempts(join(*results)) == told


def test_cases_stand_in_the_order_of_their_first_attempts():
    reports = [case(name, *PASSED) for name in "abcbab"]
    places = Places()
    for report in reports:
        places.add(report)

    joined = places.join(reports, Policy())

    assert isinstance(joined, Attempts)
    assert [(one.case_id, len(one.attempts or ())) for one in joined] == [
        ("a", 2),
        ("b", 3),
        ("c", 0),
    ]
    assert [one.case_id for one in joined[1:]] == ["b", "c"]


def test_cases_stand_by_file_and_then_by_time():
    recorded = [("b", "one", 9), ("c", "two", 1), ("a", "one", 3), ("d", "two", 0), ("a", "one", 2)]
    reports, places = [], Places()
    for name, file, start in recorded:
        reports.append(msgspec.structs.replace(case(name, *PASSED), sources=(file,)))
        places.add(reports[-1], start)

    joined = places.join(reports, Policy())

    assert [one.case_id for one in joined] == ["a", "b", "d", "c"]
    assert [len(one.attempts or ()) for one in joined] == [2, 0, 0, 0]


def test_a_run_without_repeats_is_left_as_it_is():
    reports, places = [case(name, *PASSED) for name in "abc"], Places()
    for report in reports:
        places.add(report)

    assert places.join(reports, Policy()) is reports
