import re
from xml.etree import ElementTree as ET

import msgspec
import pytest

from agentevals.compare.settlement import review_of
from agentevals.model.policy import Policy
from agentevals.model.results import Verdict
from agentevals.model.review import Scene
from agentevals.report.outputs.junit import render
from tests.compare.runs import against, run
from tests.report.outputs.reports import (
    HOSTILE,
    MIXED,
    REPORTS,
    alone,
    case,
    graded,
    hostile,
    report,
)
from tests.report.outputs.samples import REVIEWS, accepted, infected


def parsed(report):
    return ET.fromstring("".join(render(alone(report))))


def test_a_run_as_ci_systems_read_it(golden):
    golden("reports/mixed.xml", "".join(render(alone(MIXED))))


def test_a_conversation_is_a_suite_and_an_evaluator_a_test():
    suites = parsed(REPORTS["passing"]).findall("testsuite")

    assert [suite.get("name") for suite in suites] == ["greeting", "weather_in_東京"]
    assert [suite.get("tests") for suite in suites] == ["2", "1"]


@pytest.mark.parametrize("name", REPORTS)
def test_a_run_that_fails_has_a_failed_test_and_only_then(name):
    tests = parsed(REPORTS[name])
    wrong = [*tests.iter("failure"), *tests.iter("error")]

    assert bool(wrong) == (REPORTS[name].verdict is not Verdict.PASS)


def test_a_case_below_its_bar_fails_although_every_evaluator_passed():
    low = case("low", graded("words", 0.6), policy=Policy(pass_at=0.8))

    assert "scored 0.60" in parsed(report(low)).find(".//failure").text


def test_a_missed_gate_is_the_failure_of_its_evaluator():
    [suite] = parsed(report(case("gate", graded("safety", 0.8, required=0.9), graded("words", 1))))

    assert suite.get("failures") == "1"
    assert [test.get("name") for test in suite if test.find("failure") is not None] == ["safety"]
    assert suite.find(".//failure").get("message") == "scored 0.80; required to score 0.90"


def test_the_numbers_are_those_of_the_tests():
    for suite in parsed(MIXED):
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert int(suite.get("errors")) == len(suite.findall(".//error"))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_stays_inside_its_element(text):
    written = "".join(render(alone(hostile(text))))

    assert len(ET.fromstring(written).findall("testsuite")) == 4
    assert not re.search(r"^\s*::|##\[|[\u202a-\u202e\x1b]", written, re.MULTILINE)
    assert len(written) < 2_000_000


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_is_obeyed_by_who_reads_the_file_as_it_is(text):
    written = "".join(render(alone(hostile(text))))

    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", written
    )
    assert not re.search(r"##\[|^\s*::", written, re.MULTILINE)


def parsed_review(review):
    return ET.fromstring("".join(render(review)))


def failed(tree):
    return [*tree.iter("failure"), *tree.iter("error")]


def suite(tree, name):
    return next(found for found in tree if found.get("name") == name)


def facts(element):
    return {p.get("name"): p.get("value") for p in element.findall("properties/property")}


def test_a_review_as_ci_systems_read_it(golden):
    golden("exports/junit.xml", "".join(render(REVIEWS["small"])))


@pytest.mark.parametrize("name", [n for n, r in REVIEWS.items() if r.verdict is Verdict.FAIL])
def test_a_review_that_fails_has_a_failed_test(name):
    assert failed(parsed_review(REVIEWS[name]))


@pytest.mark.parametrize("name", ["passed", "running", "unchanged", "limits"])
def test_a_review_that_passes_has_none(name):
    assert not failed(parsed_review(REVIEWS[name]))


def test_several_configs_share_a_document_and_keep_their_cases_apart():
    names = [found.get("name") for found in parsed_review(REVIEWS["several"])]

    assert "evals/eval_config.yaml: greeting" in names
    assert "evals/other.yaml python 3.13: greeting" in names
    assert len(set(names)) == len(names)


def test_a_regressed_case_is_marked():
    tree = parsed_review(REVIEWS["failed"])

    changes = {found.get("name"): facts(found).get("change") for found in tree}
    assert changes["umbrella"] == "regressed"
    assert changes["greeting"] == "fixed"


def test_a_gate_is_a_test():
    gates = suite(parsed_review(REVIEWS["failed"]), "(gates)")
    rate, tokens, cost = gates.findall("testcase")

    assert rate.find("failure").get("message") == "33 % is below 90 %"
    assert facts(rate)["limit"] == "at least 90 %"
    assert len(tokens.findall("failure")) == 0
    assert cost.find("skipped").get("message") == "not evaluated"


def test_a_failure_that_somebody_answers_for_is_skipped_and_says_why():
    tree = parsed_review(accepted())
    skipped = [found.get("message") for found in tree.iter("skipped")]

    assert not failed(tree)
    assert skipped[0].startswith("accepted until 2027-01-31: #12, the new forecast")
    assert facts(suite(tree, "umbrella"))["accepted"].startswith("accepted until")


def test_an_acceptance_that_has_expired_excuses_nothing():
    assert failed(parsed_review(accepted(expired=True)))


def test_without_a_report_the_highlights_are_the_cases():
    names = [found.get("name") for found in parsed_review(REVIEWS["without_report"])]

    assert names == ["umbrella", "greeting"]


@pytest.mark.parametrize("name", REVIEWS)
def test_the_numbers_of_a_review_are_those_of_its_tests(name):
    for found in parsed_review(REVIEWS[name]):
        assert int(found.get("tests")) == len(found.findall("testcase"))
        assert int(found.get("failures")) == len(found.findall(".//failure"))
        assert int(found.get("errors")) == len(found.findall(".//error"))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_of_a_review_is_obeyed_by_who_reads_the_file_as_it_is(text):
    # a million characters, several times in each of twelve results, are cut one by one
    written = "".join(render(infected(REVIEWS["several"], text[:30_000])))

    assert len(ET.fromstring(written)) == len(parsed_review(REVIEWS["several"]))
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", written
    )
    assert not re.search(r"##\[|^\s*::", written, re.MULTILINE)


def test_a_case_that_is_accepted_but_broken_still_fails():
    (section,) = accepted().sections
    (case,) = section.report.cases
    broken = msgspec.structs.replace(case, error="no turns")
    report = msgspec.structs.replace(section.report, cases=(broken,))
    found = msgspec.structs.replace(
        accepted(), sections=(msgspec.structs.replace(section, report=report),)
    )

    assert failed(parsed_review(found))


def test_a_run_with_a_baseline_says_what_regressed():
    base, head = run({"kept": 1, "lost": 1}), run({"kept": 1, "lost": 0})

    tree = parsed_review(review_of(Scene(), [against(head, base)]))

    assert facts(suite(tree, "lost"))["change"] == "regressed"
    assert [found.get("name") for found in suite(tree, "(gates)")][:1] == ["Pass rate"]
    assert [s.get("name") for s in parsed_review(review_of(Scene(), [against(head)]))] == [
        "kept",
        "lost",
    ]
