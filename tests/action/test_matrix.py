"""Several jobs of one workflow: legs of a matrix, and shards of one evaluation."""

import json

import pytest

from tests.action.job import CITIES, agent, eval_set

WORSE = agent(failing=["paris"])
LEGS = [{"python": "3.12", "os": "linux"}, {"python": "3.13", "os": "linux"}]


def legs(job, *matrix):
    """One run for each leg, one after the other."""
    return [job.given(matrix=json.dumps(leg)).run() for leg in matrix]


def shards(job, total):
    return [job.given(shard=f"{number}/{total}").run() for number in range(1, total + 1)]


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


def test_four_shards_are_the_whole(job):
    job.pull_request(agent(), WORSE)

    done = shards(job, 4)

    assert sorted(case for each in done for case in cases(each)) == sorted(CITIES)
    assert sum(int(each.outputs["regressed"]) for each in done) == 1
    assert sorted(each.code for each in done) == [0, 0, 0, 1]
    assert len(job.comments) == 1


def test_a_shard_is_compared_with_the_same_part_of_the_base(job):
    job.pull_request(agent(failing=["paris"]), agent(failing=["paris", "rome"]))

    done = shards(job, 2)

    assert [each.against["paired"] for each in done] == [len(cases(each)) for each in done]
    assert {each.report["sections"][0]["counts"]["removed"] for each in done} == {0}


@pytest.mark.recorded
def test_a_case_that_nobody_recorded_is_said_by_one_shard_only(job):
    trees = agent() | {"eval_set.json": eval_set(*CITIES, "lima")}
    job.pull_request(trees, trees | {"README.md": ""}).given(paths="README.md")

    done = shards(job, 4)

    said = [finding for each in done for finding in each.report["sections"][0]["findings"]]
    assert [finding["rule"] for finding in said] == ["missing-case"]
    assert sorted(each.code for each in done) == [0, 0, 0, 1]


@pytest.mark.parametrize("total", [5, 40])
def test_a_shard_without_a_case_is_no_failure(job, total):
    job.pull_request(agent(), agent(failing=["rome"]))
    codes = {job.given(shard=f"{number}/{total}").run().code for number in range(1, 5)}

    done = job.given(shard=f"{total}/{total}").run()

    assert codes | {done.code} <= {0, 1}
    assert done.outputs["verdict"] in {"passed", "failed", "not-evaluated"}


@pytest.mark.recorded
def test_a_shard_without_a_case_has_not_passed_and_does_not_keep_the_others_from_it(job):
    trees = agent(cases=["oslo"])
    job.pull_request(trees, trees | {"README.md": ""}).given(paths="README.md")
    done = {each.outputs["verdict"]: each for each in shards(job, 2)}
    ends = {check["conclusion"] for check in job.place.checks.values()}

    assert (set(done), ends) == ({"passed", "not-evaluated"}, {"success", "neutral"})
    assert done["not-evaluated"].report["verdict"] is None
    assert "**Ready to merge: the only case passed.**" in job.comments[0]
