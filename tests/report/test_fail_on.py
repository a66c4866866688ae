"""What fails a run although every case passes is in each file that a machine reads."""

import json
from xml.etree import ElementTree as ET

import msgspec
import pytest

from agentevals.compare import highlights, settlement
from agentevals.model.outcome import Change, FailOn, Gate, Place, Unit
from agentevals.model.policy import Acceptance, Policy
from agentevals.model.results import Verdict
from agentevals.model.review import Scene
from agentevals.report.outputs import ctrf, junit, sarif
from agentevals.report.pages import failures_page, line_annotations
from agentevals.report.pages.line_annotations import Level
from tests.compare.runs import against, case, report, result, run, unknown

TOLD = "14 of 20 attempts passed, 20 of 20 on the base"


def fallen(fail_on=FailOn.REGRESSED, scores=None, **changed):
    """A case of which fewer attempts pass than on the base, and most still do."""
    base = run({"a": [1.0] * 20, "b": 1.0})
    outcome = against(run(scores or {"a": [1.0] * 14 + [0.0] * 6, "b": 1.0}), base, fail_on=fail_on)
    return reviewed(msgspec.structs.replace(outcome, **changed))


def reviewed(outcome):
    return settlement.review_of(Scene(), [outcome])


def highlighted(review, **changed):
    (outcome,) = review.sections
    one, *others = outcome.highlights
    shown = (msgspec.structs.replace(one, **changed), *others)
    return reviewed(msgspec.structs.replace(outcome, highlights=shown))


def accepted(review):
    answer = Acceptance(case="a", reason="#12", until="2027-01-31")
    return highlighted(review, accepted=answer)


def read_junit(review):
    document = ET.fromstring("".join(junit.render(review)))
    return {suite.get("name"): suite for suite in document}


def read_ctrf(review):
    return json.loads("".join(ctrf.render(review)))["results"]["tests"]


def read_sarif(review):
    (found,) = json.loads("".join(sarif.render(review)))["runs"]
    return found["results"]


def read_failures(review):
    return failures_page.render(review)


def test_junit_fails_a_test_of_the_case_and_no_verdict_without_a_reason():
    suites = read_junit(fallen())
    (failure,) = suites["a"].iter("failure")

    assert failure.get("message") == TOLD
    assert (suites["a"].get("tests"), suites["a"].get("failures")) == ("2", "1")
    assert [test.get("name") for test in suites["a"].iter("testcase")] == ["path", "(regressed)"]
    assert "(run)" not in suites


def test_junit_only_warns_where_the_run_does_not_fail_for_it():
    suites = read_junit(fallen(FailOn.FAILED))
    known = {each.get("name"): each.get("value") for each in suites["a"].iter("property")}

    assert not [*suites["a"].iter("failure")]
    assert known["warning"] == f"regressed: {TOLD}"


def test_ctrf_fails_a_test_of_the_case_and_no_other():
    failed = [test for test in read_ctrf(fallen()) if test["status"] == "failed"]

    assert [(test["name"], test["message"]) for test in failed] == [("a: (regressed)", TOLD)]


def test_ctrf_only_warns_where_the_run_does_not_fail_for_it():
    tests = read_ctrf(fallen(FailOn.FAILED))
    told = {test["suite"][-1]: test["extra"].get("warning") for test in tests if "extra" in test}

    assert {test["status"] for test in tests} == {"passed"}
    assert told["a"] == f"regressed: {TOLD}"


@pytest.mark.parametrize(
    ("scores", "flaky"),
    [
        ({"a": [1.0] * 14 + [0.0] * 6, "b": 1.0}, {"a"}),  # regressed, and passes
        ({"a": [1.0] * 9 + [0.0], "b": 1.0}, {"a"}),
        ({"a": [1.0] * 3 + [0.0] * 7, "b": 1.0}, {"a"}),  # fails
        ({"a": [0.0] * 10, "b": 0.0}, set()),
    ],
)
def test_ctrf_calls_a_case_flaky_whose_attempts_end_differently(scores, flaky):
    tests = read_ctrf(fallen(scores=scores))

    assert {test["suite"][-1] for test in tests if test.get("flaky")} == flaky


def test_ctrf_calls_more_cases_flaky_than_the_comment_can_show():
    scores = {f"c{at}": [1.0, 1.0, 0.0] for at in range(highlights.MOST + 5)}
    tests = read_ctrf(reviewed(against(run(scores))))

    assert len([test for test in tests if test.get("flaky")]) == len(scores)


def test_an_attempt_without_a_verdict_makes_no_case_flaky():
    cases = [case("a", result("path", 1.0)), case("a", unknown()), case("a", result("path", 1.0))]

    assert not [test for test in read_ctrf(reviewed(against(report(cases)))) if test.get("flaky")]


@pytest.mark.parametrize(
    ("fail_on", "level"), [(FailOn.REGRESSED, "error"), (FailOn.FAILED, "warning")]
)
def test_sarif_has_a_result_for_each_reason(fail_on, level):
    (found,) = read_sarif(fallen(fail_on))

    assert (found["ruleId"], found["level"]) == ("path", level)
    assert found["message"]["text"].startswith(f"a (regressed): {TOLD}: path scored 0.00")


def test_the_failures_show_an_attempt_that_failed():
    page = read_failures(fallen())

    assert "Nothing fails." not in page
    assert f"#### Case `a` (regressed)\n\n\n```text\n{TOLD}\nevaluator path:\n  scored 0.00" in page


def test_the_failures_say_what_is_only_a_warning_and_that_comes_last():
    mixed = fallen(FailOn.FAILED, {"a": [1.0] * 14 + [0.0] * 6, "b": 1.0, "c": 0.0})

    assert "#### Case `a` (regressed, a warning)" in read_failures(fallen(FailOn.FAILED))
    assert [part.split("`")[1] for part in read_failures(mixed).split("#### Case ")[1:]] == [
        "c",
        "a",
    ]


@pytest.mark.parametrize(
    ("fail_on", "level"), [(FailOn.REGRESSED, Level.FAILURE), (FailOn.FAILED, Level.WARNING)]
)
def test_the_rule_and_the_trace_are_marked(fail_on, level):
    review = fallen(fail_on)
    (reason,) = review.sections[0].highlights[0].reasons
    ruled = msgspec.structs.replace(reason, rule=Place(path="evals.yaml", line=4))
    placed = highlighted(review, reasons=(ruled,), trace=Place(path="a.json", line=1))
    rule, trace = line_annotations.annotations(placed)

    assert {rule.level, trace.level} == {level}
    assert rule.message.startswith(f"a ({TOLD}): path")
    assert trace.message.startswith(f"{TOLD}\npath")


def test_a_case_that_passes_and_fails_no_run_is_a_warning_also_where_another_fails_it():
    limit = Gate(figure="cost", name="Cost", unit=Unit.MONEY, change=Change.REGRESSED, fails=True)
    both = fallen(FailOn.FAILED, verdict=Verdict.FAIL, exit_code=1, gates=(limit,))

    assert [found["level"] for found in read_sarif(both)] == ["warning"]
    assert not [*read_junit(both)["a"].iter("failure")]


def test_what_somebody_answers_for_is_in_none_of_them():
    review = accepted(fallen())

    assert read_sarif(review) == []
    assert "Case `a`" not in read_failures(review)
    assert not [*read_junit(review)["a"].iter("failure")]


def test_a_figure_without_a_limit_that_fails_the_run_is_a_failed_test():
    base = run({f"c{n}": 0.9 + n % 2 / 50 for n in range(30)})
    head = run({f"c{n}": 0.7 + n % 3 / 50 for n in range(30)})
    review = reviewed(against(head, base, fail_on=FailOn.REGRESSED))
    failed = [test["name"] for test in read_ctrf(review) if test["status"] == "failed"]

    assert failed == ["(gates): Mean score"]
    assert "(run)" not in read_junit(review)
    assert "`Mean score is 0.72, 0.91 on the base: it got worse for certain" in read_failures(
        review
    )
    assert "Nothing fails." in read_failures(reviewed(against(head, base)))


def test_a_decline_that_no_case_or_figure_shows_alone_is_told():
    base = run({"a": [1.0] * 10, "b": [1.0] * 2})
    head = run({"a": [1.0] * 6 + [0.0] * 4, "b": [1.0] * 2})
    review = reviewed(against(head, base, fail_on=FailOn.REGRESSED))
    told = "1 case fell and 0 rose, more than chance explains (p = 0.043)"

    (failed,) = [test for test in read_ctrf(review) if test["status"] == "failed"]
    assert (failed["name"], failed["message"]) == ("(run): (regressed)", told)
    assert told in read_failures(review)


def test_no_figure_fails_where_somebody_answers_for_cases():
    answer = Acceptance(case="c", reason="#12", until="2027-01-31")
    policy = Policy(accepted=(answer,))
    scores = {f"c{n}": 0.9 + n % 2 / 50 for n in range(30)}
    base = run(scores | {"c": 1.0, "d": 1.0}, policy=policy)
    head = run({name: 0.7 + at % 3 / 50 for at, name in enumerate(scores)} | {"c": 0.0, "d": 0.0})
    head = msgspec.structs.replace(head, policy=policy)
    review = reviewed(against(head, base, fail_on=FailOn.REGRESSED))

    assert review.sections[0].counts.accepted == 1
    assert "got worse for certain" not in read_failures(review)
