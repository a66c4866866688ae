"""Several jobs of one workflow: legs of a matrix."""

import json

import pytest

from tests.action.job import agent

WORSE = agent(failing=["paris"])
LEGS = [{"python": "3.12", "os": "linux"}, {"python": "3.13", "os": "linux"}]


def legs(job, *matrix):
    """One run for each leg, one after the other."""
    return [job.given(matrix=json.dumps(leg)).run() for leg in matrix]


def cases(done):
    section = done.report["sections"][0]
    return [case["case_id"] for case in section["report"]["cases"]]


def test_legs_share_one_comment_with_a_section_for_each(job):
    job.pull_request(agent(), WORSE)

    legs(job, *LEGS)

    assert len(job.comments) == 1
    assert "3.12, linux" in job.comments[0]
    assert "3.13, linux" in job.comments[0]


def test_legs_have_checks_and_artifacts_of_their_own(job):
    job.pull_request(agent(), WORSE).keeping_artifacts()

    legs(job, *LEGS)

    assert [check["name"] for check in job.place.checks.values()] == [
        "agentevals / 3.12, linux",
        "agentevals / 3.13, linux",
    ]
    assert list(job.world.uploads) == [
        "agentevals-agentevals-evals-3.12--linux",
        "agentevals-agentevals-evals-3.13--linux",
    ]


def test_two_jobs_of_one_workflow_keep_their_reports_apart_and_find_their_own_again(job):
    job.pushed(agent()).keeping_artifacts()
    for name in ("support", "billing"):
        job.environ["GITHUB_JOB"] = name
        assert job.run().code == 0
    kept = list(job.world.uploads)
    job.ended()
    done = job.proposed(WORSE).given(baseline="artifact").run()

    assert kept == ["agentevals-agentevals-support", "agentevals-agentevals-billing"]
    assert done.against["origin"]["source"] == "artifact"
    assert done.outputs["regressed"] == "1"


def test_legs_with_long_names_that_differ_at_the_end_only_keep_both_reports(job):
    job.pull_request(agent(), WORSE).keeping_artifacts()

    legs(job, {"model": "m" * 120 + "1"}, {"model": "m" * 120 + "2"})

    assert len(job.world.uploads) == 2
    assert all(len(name) <= 100 for name in job.world.uploads)


def test_a_leg_that_is_run_again_replaces_its_own_section_alone(job):
    job.pull_request(agent(), WORSE)
    legs(job, *LEGS)
    before = job.comments[0].count("3.12, linux")
    job.environ["GITHUB_RUN_ATTEMPT"] = "2"

    legs(job, LEGS[0])

    assert len(job.comments) == 1
    assert job.comments[0].count("3.12, linux") == before


@pytest.mark.recorded
def test_the_first_line_is_as_bad_as_the_worst_leg(job):
    job.pull_request(agent(), WORSE)
    legs(job, LEGS[0])
    (job.workspace / "traces" / "paris.json").write_text(agent()["traces/paris.json"])

    done = legs(job, LEGS[1])[0]

    assert done.outputs["verdict"] == "passed"
    assert "CAUTION" in job.comments[0].partition("</details>")[0]
