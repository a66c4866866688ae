"""A step from the outside: what the runner starts, and what it gets back."""

from tests.action.job import agent


def test_a_regression_is_said_and_fails_the_step(job):
    job.pull_request(agent(), agent(failing=["paris"]))

    done = job.run()

    assert done.code == 1, done.log
    assert done.outputs["verdict"] == "failed"
    assert done.outputs["regressed"] == "1"
    assert "`paris`" in job.comments[0]
