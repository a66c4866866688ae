"""An evaluator that crashes is told apart from what the agent did, wherever a reader looks."""

import json
from xml.etree import ElementTree as ET

import pytest

from tests.action.job import CITIES, TRAJECTORY, agent, config

MINE = {"name": "mine", "type": "code", "path": "./mine.py"}
CRASHES = """\
import json, sys
asked = json.load(sys.stdin)
print(asked["final_response"])
"""
SAID = "evaluator 'mine' crashed in all 4 cases: KeyError: 'final_response' (mine.py:3)"


def crashing(failing=(), **keys):
    rules = {"eval_config.yaml": config(TRAJECTORY, MINE, **keys), "mine.py": CRASHES}
    return agent(failing=failing) | rules


@pytest.fixture
def crashed(job):
    """It crashes in the base as well; the pull request changes a trace."""
    return job.pull_request(crashing(["rome"]), crashing()).given(status="on")


def test_every_page_says_it_once_and_none_calls_it_a_failure(crashed):
    done = crashed.run()
    (check,) = crashed.place.checks.values()

    assert (done.code, done.outputs["verdict"]) == (1, "error")
    assert (done.outputs["failed"], done.outputs["errors"], done.outputs["score"]) == ("0", "4", "")
    assert check["output"]["title"] == f"Cannot tell whether to merge: {SAID}."
    assert (check["conclusion"], crashed.place.statuses[-1]["state"]) == ("failure", "error")
    for page in (*crashed.comments, done.summary, check["output"]["summary"]):
        assert page.count("KeyError") == 2  # in the first line, and among the problems
        assert "💥" in page
        assert "unchanged" not in page
        assert "❌" not in page
        assert "failed" not in page


def test_every_file_tells_it_apart(crashed):
    folder = crashed.run().folder
    report, sarif, ctrf, badge = (
        json.loads((folder / name).read_text())
        for name in ("report.json", "report.sarif", "ctrf.json", "badge.json")
    )
    [run] = sarif["runs"]
    suites = ET.parse(folder / "junit.xml").getroot()

    assert (report["verdict"], report["sections"][0]["verdict"]) == ("error", "error")
    assert {case["verdict"] for case in report["sections"][0]["report"]["cases"]} == {"error"}
    assert [bool(suites.findall(f".//{kind}")) for kind in ("failure", "error")] == [False, True]
    assert len(suites.findall(".//error")) == len(CITIES)
    assert {test["rawStatus"] for test in ctrf["results"]["tests"]} == {"PASSED", "ERROR"}
    assert (run["results"], run["invocations"][0]["executionSuccessful"]) == ([], False)
    assert badge["message"] == "error"


def test_the_log_says_it_once_for_all_cases_and_in_its_end(crashed):
    done = crashed.run()
    group, end = done.log.split("::endgroup::")

    assert [text.count("KeyError: 'final_response' (mine.py:3)") for text in (group, end)] == [1, 1]
    assert "ERROR  4 cases in error" in done.log


@pytest.mark.parametrize(
    ("fail_on", "code", "conclusion"),
    [
        ("failed", 1, "failure"),
        ("regressed", 1, "failure"),
        ("error", 1, "failure"),
        ("never", 0, "neutral"),
    ],
)
def test_it_fails_the_step_unless_nothing_does(crashed, fail_on, code, conclusion):
    done = crashed.given(fail_on=fail_on).run()
    (check,) = crashed.place.checks.values()

    assert (done.code, done.outputs["verdict"]) == (code, "error")
    assert check["conclusion"] == conclusion
    assert "Cannot tell whether to merge" in crashed.comments[0]


def test_a_case_to_which_another_evaluator_objects_is_a_failure_of_the_agent(job):
    done = job.pull_request(crashing(), crashing(["paris"])).run()
    (comment,) = job.comments

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert (done.outputs["failed"], done.outputs["errors"]) == ("1", "3")
    assert "**Not ready to merge: 1 of 4 cases failed.**" in comment
    assert "3 cases in error." in comment
    assert f"💥 {SAID}" in comment


def test_the_most_severe_error_gives_the_exit_code(job):
    files = crashing()
    broken = files | {"traces/bad.json": '{"resourceSpans": ['}

    done = job.pull_request(files, broken).run()

    assert (done.code, done.outputs["verdict"]) == (2, "error")
