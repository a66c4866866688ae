"""Runs that could not close what they had begun: killed, or of a pull request that was closed."""

import json
import signal

import pytest

from tests.action.job import TRAJECTORY, agent, config, transcript
from tests.processes import STUCK, ending_with_us, stuck
from tests.stand_in.world import Run

SLOW = {"name": "slow", "type": "code", "path": "./slow.py", "timeout": 300}
FIRST, SECOND = 30433642, 30433643
RUNNING = "> **The evaluation is running.**"


@pytest.fixture
def killed(job):
    """A pull request whose run was killed with kill -9 while it evaluated."""
    files = {"eval_config.yaml": config(TRAJECTORY, SLOW), "slow.py": STUCK}
    job.pull_request(agent(), agent() | files).given(status="on", baseline="none")
    kill(job)
    assert standing(job) == ([None], ["pending"], [True])
    return job


def kill(job):
    with ending_with_us(job.started()) as process:
        stuck(process)
        process.send_signal(signal.SIGKILL)
        process.wait()


def standing(job):
    """How check runs ended, what the statuses of each commit say, and which comments run."""
    last = {status["sha"]: status["state"] for status in job.place.statuses}
    checks = [check["conclusion"] for _, check in sorted(job.place.checks.items())]
    return checks, list(last.values()), [RUNNING in body for body in job.comments]


def later(job, run_id=SECOND, attempt=1):
    """The next run of the workflow."""
    job.environ |= {
        "GITHUB_RUN_ID": str(run_id),
        "GITHUB_RUN_NUMBER": str(562 + run_id - FIRST),
        "GITHUB_RUN_ATTEMPT": str(attempt),
    }
    return job


def pushed(job):
    """The same pull request after a push that replaced its head."""
    recorded = transcript("oslo", "geocode", "forecast", answer="It rains.")
    return job.proposed(agent() | {"traces/oslo.json": recorded})


def closings(done):
    return [text for text in done.said("notice") if "closed what was still running" in text]


@pytest.mark.recorded
def test_the_run_of_the_next_push_closes_what_a_killed_one_has_left(killed):
    old = killed.head
    done = pushed(later(killed)).run()
    (check, _) = (check for _, check in sorted(killed.place.checks.items()))

    assert standing(killed) == (["cancelled", "success"], ["error", "success"], [False])
    (said,) = closings(done)
    assert said.startswith("1 earlier run ended without a result; closed what was still running: ")
    assert said.endswith(f": the check run on {old[:7]}, the status on {old[:7]}")
    assert "1 earlier run ended without a result" in killed.comments[0]
    assert check["output"]["title"] == (
        "Cannot tell whether to merge: the run ended without a result"
    )
    assert f"/actions/runs/{SECOND}" in check["output"]["summary"]


@pytest.mark.parametrize(
    ("run_id", "attempt", "ends"),
    [(SECOND, 1, ["cancelled", "success"]), (FIRST, 2, ["success"])],
    ids=["another run", "the same run again, whose check it goes on with"],
)
@pytest.mark.recorded
def test_so_does_a_run_of_the_same_commit(killed, run_id, attempt, ends):
    (killed.workspace / "slow.py").write_text('print("{\\"score\\": 1.0}")\n')
    done = later(killed, run_id, attempt).run()

    assert standing(killed) == (ends, ["success"], [False])
    assert len(closings(done)) == 1


def test_nothing_is_closed_twice(killed):
    pushed(later(killed)).run()
    done = later(killed, SECOND + 1).run()

    assert closings(done) == []


@pytest.mark.recorded
def test_a_run_that_still_works_is_left_alone(killed):
    killed.place.runs[FIRST] = Run(FIRST, status="in_progress", conclusion=None)
    done = pushed(later(killed)).run()

    assert standing(killed)[:2] == ([None, "success"], ["pending", "success"])
    assert closings(done) == []


@pytest.mark.recorded
def test_without_the_right_to_ask_only_older_runs_are_closed(killed):
    killed.github.permissions = {"actions": "none"}
    pushed(later(killed, FIRST - 1)).run()
    assert standing(killed)[:2] == ([None, "success"], ["pending", "success"])

    pushed(later(killed)).run()
    assert standing(killed)[:2] == (
        ["cancelled", "success", "success"],
        ["error", "success"],
    )


@pytest.mark.parametrize(
    "other", [{"GITHUB_JOB": "others"}, {"GITHUB_WORKFLOW": "others"}], ids=["job", "workflow"]
)
@pytest.mark.recorded
def test_the_check_of_another_job_is_left_to_that_job(killed, other):
    killed.environ |= other
    pushed(later(killed)).run()

    assert standing(killed)[0] == [None, "success"]


def test_who_may_not_look_is_told_nothing(killed):
    killed.github.permissions = {"checks": "none", "statuses": "none"}
    done = pushed(later(killed).given(check="auto")).run()

    assert closings(done) == []
    assert not any("have left" in text for text in done.said("warning") + done.said("notice"))


@pytest.mark.recorded
def test_a_github_that_fails_costs_only_this(killed):
    killed.github.permissions = {"checks": "read", "statuses": "read"}
    done = pushed(later(killed)).run()

    assert done.outputs["verdict"] == "passed"
    assert any("is not closed: GitHub refuses" in text for text in done.said("notice"))


def test_the_section_of_a_job_that_never_comes_back_does_not_run_for_ever(job):
    files = {"eval_config.yaml": config(TRAJECTORY, SLOW), "slow.py": STUCK}
    job.pull_request(agent(), agent() | files).given(baseline="none")
    job.given(matrix=json.dumps({"model": "gone"}))
    kill(job)
    pushed(later(job).given(matrix=json.dumps({"model": "new"}))).run()

    assert "is running" not in job.comments[0]
    assert "the evaluation was cancelled without a result" in job.comments[0]


@pytest.fixture
def closed(killed):
    """The same pull request, closed while its run is thought to work."""
    killed.place.runs[FIRST] = Run(FIRST, status="in_progress", conclusion=None)
    killed.pull.state = "closed"
    return later(killed).on("pull_request_closed", killed.head, killed.base)


def test_a_closed_pull_request_has_nothing_that_still_runs(closed):
    done = closed.run()
    (check,) = closed.place.checks.values()

    assert (done.code, done.outputs["verdict"]) == (0, "not-evaluated")
    assert standing(closed) == (["cancelled"], ["error"], [False])
    assert check["output"]["title"] == (
        "The pull request was closed while the evaluation was running"
    )
    (said,) = closings(done)
    head = closed.head[:7]
    assert said.endswith(f": the check run on {head}, the status on {head}, the comment")


def test_a_pull_request_that_is_closed_after_its_verdict_keeps_it(job):
    job.pull_request(agent(), agent(failing=["paris"])).given(status="on").run()
    before = standing(job), job.comments
    done = later(job).on("pull_request_closed", job.head, job.base).run()

    assert (standing(job), job.comments) == before
    assert closings(done) == []


def test_a_closed_pull_request_without_a_comment_gets_none(job):
    job.pull_request(agent(), agent())
    later(job).on("pull_request_closed", job.head, job.base).run()

    assert (job.comments, job.place.checks) == ([], {})
