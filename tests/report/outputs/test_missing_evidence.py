"""Every output tells of missing evidence once, however many cases it concerns."""

import json

import msgspec
import pytest

from agentevals.compare import settlement
from agentevals.model.completeness import Fact, Presence, TurnGap
from agentevals.model.policy import Policy
from agentevals.model.review import Scene
from agentevals.report import untrusted_report
from agentevals.report.outputs import OUTPUTS
from agentevals.report.pages import check_run_page, line_annotations, summary_page
from tests.compare.runs import against as compare
from tests.compare.runs import case, report, result, run, settled, unknown

STRICT = Policy()
REMEDY = "Set CAPTURE=true"
FOR_PEOPLE = {"table": 1, "summary": 1, "markdown": 1, "comment": 1, "sarif": 1}
TWICE = {"junit": 2, "ctrf": 2}  # in short, and in full


def review(policy=STRICT):
    cases = [case(f"c{at}", unknown(), result("words", 1.0), policy=policy) for at in range(30)]
    return settlement.review_of(
        Scene(), [settled([*cases, case("ok", result("path", 1.0))], policy)]
    )


def text(name, shown):
    return "".join(OUTPUTS[name].render(shown))


@pytest.mark.parametrize(("name", "times"), [*FOR_PEOPLE.items(), *TWICE.items()])
def test_an_output_tells_the_remedy_once(name, times):
    assert text(name, review()).count(REMEDY) == times


def test_the_pages_of_a_pull_request_tell_it_once():
    shown = review()
    page = check_run_page.check(shown)

    assert summary_page.render(shown).count(REMEDY) == 1
    assert (page.summary.count(REMEDY), page.text.count(REMEDY)) == (1, 1)  # and for coding agents
    [remark] = line_annotations.annotations(shown)
    assert (remark.path, remark.title) == ("evals.yaml", "missing evidence")
    assert remark.message.startswith(REMEDY)


@pytest.mark.parametrize("name", ["table", "summary"])
def test_the_first_line_names_no_failure(name):
    first = text(name, review()).partition("\n")[0]

    assert first.startswith("NOT EVALUATED")
    assert "30 of 31 cases lack evidence, 1 passed" in first
    assert "failed" not in first


def test_a_comment_names_the_cases_that_are_not_evaluated():
    shown = text("comment", review())

    assert "Not evaluated: 30 of 31 cases lack evidence." in shown
    assert "<summary>Not evaluated (30)</summary>" in shown
    assert "Failing" not in shown


def test_a_comment_says_which_cases_are_not_compared():
    base = run({"a": 1.0, "b": 1.0})
    outcome = compare(report([case("a", unknown()), case("b", result("path", 1.0))]), base)
    shown = text("comment", settlement.review_of(Scene(), [outcome]))

    assert "⚪ **1 case is not compared with the base**, because evidence is missing" in shown


def test_junit_and_ctrf_have_one_error_for_it_and_no_failed_case():
    xml, tests = text("junit", review()), json.loads(text("ctrf", review()))["results"]["tests"]

    assert xml.count("<error") == 1
    assert "<failure" not in xml
    assert [one["suite"][-1] for one in tests if one["status"] == "failed"] == ["(evidence)"]


def test_junit_and_ctrf_skip_it_where_a_config_allows_it():
    allowed = review(Policy(fail_on_not_evaluated=False))
    tests = json.loads(text("ctrf", allowed))["results"]["tests"]

    assert "<error" not in text("junit", allowed)
    assert not [one for one in tests if one["status"] == "failed"]


def test_a_case_in_a_report_has_the_gaps_of_its_turns():
    gap = TurnGap(turn=2, fact=Fact.ANSWER, presence=Presence.WITHHELD, evidence="e", remedy="r")
    outcome = settled([case("a", unknown(), gaps=(gap,)), case("b", result("path", 1.0))])
    shown = settlement.review_of(Scene(), [outcome])
    written = {
        "turn": 2,
        "fact": "answer",
        "presence": "withheld",
        "evidence": "e",
        "remedy": "r",
    }

    for name, cases in (("report", "cases"), ("json", "traces")):
        first, second = json.loads(text(name, shown))[cases]
        assert (first["gaps"], first["lacks_evidence"]) == ([written], True)
        assert "gaps" not in second
    [section] = json.loads(text("review", shown))["sections"]
    assert section["report"]["cases"][0]["gaps"] == [written]
    assert section["unknown"] == {"cases": 1, "decides": True, "uncompared": 0}


@pytest.mark.parametrize("name", ["report", "review"])
def test_what_was_written_is_read_again(name):
    found = untrusted_report.read_run(text(name, review()).encode())
    cases = found.cases if name == "report" else found.sections[0].report.cases

    assert cases[0].lacks_evidence
    assert cases[0].results[0].gap == unknown().gap
    assert cases[-1].gaps is msgspec.UNSET


def test_the_details_of_an_evaluator_are_a_gap_only_if_they_look_like_one():
    odd = result("path", None, details={"gap": {"fact": "the moon"}})

    assert odd.gap is None
    assert result("path", 1.0, details={"gap": unknown().gap}).gap is None
