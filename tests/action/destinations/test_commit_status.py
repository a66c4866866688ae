"""A commit status: one line that a branch can require."""

import pytest

from tests.action.job import agent, transcript


def states(job):
    return [(status["state"], status["context"]) for status in job.place.statuses]


@pytest.mark.parametrize(
    ("head", "inputs", "state"),
    [
        (
            {"traces/oslo.json": transcript("oslo", "geocode", "forecast", answer="Rain.")},
            {},
            "success",
        ),
        (agent(failing=["rome"]), {}, "failure"),
        (agent(failing=["rome"]), {"fail_on": "never"}, "success"),
        ({"eval_config.yaml": "a: ["}, {}, "error"),
    ],
)
def test_it_is_pending_until_there_is_a_verdict(job, head, inputs, state):
    job.pull_request(agent(), agent() | head).given(status="on", **inputs).run()

    assert states(job) == [("pending", "agentevals"), (state, "agentevals")]
    assert {status["sha"] for status in job.place.statuses} == {job.head}


def test_it_says_why_within_what_github_takes_and_leads_to_the_run(job):
    cases = [f"case-{'x' * 90}-{number}" for number in range(9)]
    job.pull_request(agent(cases=cases), agent(failing=cases, cases=cases)).given(status="on").run()
    status = job.place.statuses[-1]

    assert status["description"].startswith("Not ready to merge: all 9 cases failed.")
    assert len(status["description"]) <= 140
    assert status["target_url"] == f"{job.github.root}/weather/agent/actions/runs/30433642"


def test_by_default_there_is_none(job):
    job.pull_request(agent(), agent()).run()

    assert states(job) == []


def test_legs_and_keys_have_names_of_their_own(job):
    job.pull_request(agent(), agent()).given(status="on", comment_key="nightly")
    job.given(matrix='{"model": "small"}').run()

    assert states(job)[-1] == ("success", "agentevals / nightly / small")


def test_a_queue_gets_the_status_that_it_waits_for(job):
    job.pull_request(agent(), agent()).given(status="on")
    job.on("merge_group", job.head, job.base).run()

    assert states(job)[-1] == ("success", "agentevals")
