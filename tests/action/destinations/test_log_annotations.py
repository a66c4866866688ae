"""Annotations by way of the log: only where the check run does not carry them."""

import pytest

from tests.action.job import agent
from tests.stand_in.faults import Fault


@pytest.fixture
def regression(job):
    return job.pull_request(agent(), agent(failing=["paris"])).given(comment="off")


def places(done):
    """What the log marks."""
    commands = [line for line in done.log.splitlines() if line.startswith("::") and "file=" in line]
    return [command.partition("file=")[2].partition(",endLine")[0] for command in commands]


def test_what_the_check_run_marks_the_log_does_not(regression):
    assert places(regression.run()) == []


@pytest.mark.parametrize("reason", ["switched off", "not allowed", "down"])
def test_without_a_check_run_the_rule_and_the_trace_are_marked_in_the_log(regression, reason):
    if reason == "switched off":
        regression.given(check="off")
    elif reason == "not allowed":
        regression.github.permissions = {"checks": "read"}
    else:
        regression.github.faults.append(Fault("PATCH", "/check-runs/", 502, times=99))
    done = regression.run()

    assert places(done) == ["eval_config.yaml,line=4", "traces/paris.json,line=1"]


def test_more_than_the_runner_shows_are_lines_of_the_log(job):
    cases = [f"case-{number}" for number in range(30)]
    job.pull_request(agent(cases=cases), agent(failing=cases, cases=cases))
    done = job.given(comment="off", check="off").run()

    assert len(places(done)) == 10
    assert "21 more errors in the log only: GitHub shows 10 of a kind per step" in done.log


def test_they_can_be_switched_off(regression):
    assert places(regression.given(check="off", annotations="off").run()) == []
