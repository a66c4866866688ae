"""A required check always reports, whatever becomes of the run: an open one keeps everybody."""

import pytest

from tests.action.job import agent, config

BROKEN = config({"name": "nothing"})
NAME = "agentevals"


def reported(job):
    """The names and ends of the check runs on the evaluated commit."""
    return [(check["name"], check["conclusion"]) for check in job.place.checks.values()]


@pytest.mark.parametrize(
    ("changed", "given", "conclusion"),
    [
        ({"README.md": "more"}, {}, "neutral"),
        ({"eval_config.yaml": BROKEN}, {}, "failure"),
        ({"eval_config.yaml": None}, {}, "failure"),
        ({"traces/paris.json": "{"}, {}, "failure"),
        ({}, {"config": "nowhere.yaml"}, "failure"),
        ({}, {"fail_on": "sometimes"}, "failure"),
        ({}, {"jobs": "many", "comment_key": "x" * 999}, "failure"),
        ({}, {"command": "evaluat"}, "failure"),
    ],
)
def test_a_pull_request_has_it(job, changed, given, conclusion):
    files = {name: text for name, text in (agent() | changed).items() if text is not None}
    done = job.pull_request(agent(), files).given(**given).run()

    assert reported(job) == [(NAME, conclusion)]
    assert (done.code == 0) is (conclusion != "failure")


def test_a_wrong_input_is_told_in_its_title(job):
    done = job.pull_request(agent(), agent(["paris"])).given(fail_on="sometimes").run()
    (check,) = job.place.checks.values()

    assert (done.code, done.outputs["verdict"]) == (2, "error")
    assert check["output"]["title"].startswith(
        "Cannot tell whether to merge: action inputs: 'fail-on'"
    )
    assert check["status"] == "completed"


def test_a_wrong_input_of_a_key_keeps_the_name(job):
    job.pull_request(agent(), agent(["paris"])).given(comment_key="nightly", fail_on="x").run()

    assert reported(job) == [(f"{NAME} / nightly", "failure")]


def test_a_wrong_input_of_another_command_writes_none(job):
    given = {"command": "registry-validate", "fail_on": "x"}
    done = job.pull_request(agent(), agent(["paris"])).given(**given).run()

    assert (done.code, reported(job)) == (2, [])


@pytest.mark.parametrize("check", ["off", "of"])
def test_where_the_check_is_off_or_may_be_none_is_written(job, check):
    done = job.pull_request(agent(), agent(["paris"])).given(check=check, fail_on="x").run()

    assert (done.code, reported(job)) == (2, [])


def test_a_merge_group_has_it_on_its_own_commit(job):
    job.pull_request(agent(), agent(failing=["paris"]), recorded="merge_group")
    job.run()
    (check,) = job.place.checks.values()

    assert (check["name"], check["conclusion"]) == (NAME, "failure")
    assert check["head_sha"] == job.head
