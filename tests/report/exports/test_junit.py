import re
from xml.etree import ElementTree as ET

import msgspec
import pytest

from agentevals.model.results import Verdict
from agentevals.report.exports.junit import render
from tests.report.exports.samples import REVIEWS, accepted, infected
from tests.report.reporters.reports import HOSTILE


def parsed(review):
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
    assert failed(parsed(REVIEWS[name]))


@pytest.mark.parametrize("name", ["passed", "running", "unchanged", "limits"])
def test_a_review_that_passes_has_none(name):
    assert not failed(parsed(REVIEWS[name]))


def test_several_configs_share_a_document_and_keep_their_cases_apart():
    names = [found.get("name") for found in parsed(REVIEWS["several"])]

    assert "evals/eval_config.yaml: greeting" in names
    assert "evals/other.yaml python 3.13: greeting" in names
    assert len(set(names)) == len(names)


def test_a_regressed_case_is_marked():
    tree = parsed(REVIEWS["failed"])

    changes = {found.get("name"): facts(found).get("change") for found in tree}
    assert changes["umbrella"] == "regressed"
    assert changes["greeting"] == "fixed"


def test_a_gate_is_a_test():
    gates = suite(parsed(REVIEWS["failed"]), "(gates)")
    rate, tokens, cost = gates.findall("testcase")

    assert rate.find("failure").get("message") == "33 % is below 90 %"
    assert facts(rate)["limit"] == "at least 90 %"
    assert len(tokens.findall("failure")) == 0
    assert cost.find("skipped").get("message") == "not evaluated"


def test_a_failure_that_somebody_answers_for_is_skipped_and_says_why():
    tree = parsed(accepted())
    skipped = [found.get("message") for found in tree.iter("skipped")]

    assert not failed(tree)
    assert skipped[0].startswith("accepted until 2027-01-31: #12, the new forecast")
    assert facts(suite(tree, "umbrella"))["accepted"].startswith("accepted until")


def test_an_acceptance_that_has_expired_excuses_nothing():
    assert failed(parsed(accepted(expired=True)))


def test_without_a_report_the_highlights_are_the_cases():
    names = [found.get("name") for found in parsed(REVIEWS["without_report"])]

    assert names == ["umbrella", "greeting"]


@pytest.mark.parametrize("name", REVIEWS)
def test_the_numbers_are_those_of_the_tests(name):
    for found in parsed(REVIEWS[name]):
        assert int(found.get("tests")) == len(found.findall("testcase"))
        assert int(found.get("failures")) == len(found.findall(".//failure"))
        assert int(found.get("errors")) == len(found.findall(".//error"))


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_is_obeyed_by_who_reads_the_file_as_it_is(text):
    # a million characters, several times in each of twelve results, are cut one by one
    written = "".join(render(infected(REVIEWS["several"], text[:30_000])))

    assert len(ET.fromstring(written)) == len(parsed(REVIEWS["several"]))
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

    assert failed(parsed(found))
