import re
from xml.etree import ElementTree as ET

import pytest

from agentevals.model.results import Policy, Verdict
from agentevals.report.reporters.junit import render
from tests.report.reporters.reports import HOSTILE, MIXED, REPORTS, case, graded, hostile, report


def parsed(report):
    return ET.fromstring("".join(render(report)))


def test_a_run_as_ci_systems_read_it(golden):
    golden("reports/mixed.xml", "".join(render(MIXED)))


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
    written = "".join(render(hostile(text)))

    assert len(ET.fromstring(written).findall("testsuite")) == 4
    assert not re.search(r"^\s*::|##\[|[\u202a-\u202e\x1b]", written, re.MULTILINE)
    assert len(written) < 2_000_000


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_is_obeyed_by_who_reads_the_file_as_it_is(text):
    written = "".join(render(hostile(text)))

    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", written
    )
    assert not re.search(r"##\[|^\s*::", written, re.MULTILINE)
