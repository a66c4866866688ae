"""`shard` and `parts`: jobs of a matrix keep parts, and one job publishes all of them."""

import shutil

import pytest

from tests.action.job import CITIES, agent, config, eval_set

WORSE = agent(failing=["paris"])


def keep_parts(job, total):
    """Run the jobs of a matrix, and put what they keep where the last job finds it."""
    for number in range(1, total + 1):
        done = job.given(shard=f"{number}/{total}", report_dir="kept").run()
        assert (done.code, done.outputs["verdict"]) == (0, "not-evaluated")
        shutil.copytree(job.workspace / "kept", job.folder / "kept", dirs_exist_ok=True)
        shutil.rmtree(job.workspace / "kept")
    shutil.copytree(job.folder / "kept", job.workspace / "parts")


def merge(job, **more):
    return job.given(shard="", report_dir="agentevals-report", parts="parts/*.part", **more).run()


def cases(done):
    section = done.report["sections"][0]
    return [case["case_id"] for case in section["report"]["cases"]]


@pytest.mark.parametrize("total", [1, 4, 40])
def test_parts_are_published_as_one_run(job, total):
    job.pull_request(agent(), WORSE)
    keep_parts(job, total)
    assert (job.comments, job.place.checks) == ([], {})

    done = merge(job)

    assert done.said("error") == []
    assert sorted(cases(done)) == sorted(CITIES)
    assert (done.code, done.outputs["verdict"], done.outputs["regressed"]) == (1, "failed", "1")
    assert (len(job.comments), len(job.place.checks)) == (1, 1)


@pytest.mark.recorded
def test_a_case_that_nobody_recorded_is_missing_once(job):
    trees = agent() | {"eval_set.json": eval_set(*CITIES, "lima")}
    job.pull_request(trees, trees | {"README.md": ""}).given(paths="README.md")
    keep_parts(job, 2)

    found = merge(job).report["sections"][0]["findings"]

    assert [finding["rule"] for finding in found] == ["missing-case"]


def test_a_part_that_failed_is_an_error_of_the_last_job(job):
    job.pull_request(agent(), WORSE)
    keep_parts(job, 3)
    next((job.workspace / "parts").glob("*2-of-3*")).unlink()

    done = merge(job)

    assert (done.code, done.outputs["verdict"]) == (2, "error")
    assert "of 3 parts these are missing: 2" in " ".join(done.said("error"))
    assert "of 3 parts these are missing: 2" in job.comments[0]


def test_parts_of_another_config_are_refused(job):
    job.pull_request(agent(), WORSE)
    keep_parts(job, 2)
    (job.workspace / "eval_config.yaml").write_text(
        config({"name": "tool_call_count_v1", "type": "builtin", "max": 1})
    )

    done = merge(job)

    assert done.code == 2
    assert "was judged by another config or eval set than that of this job" in " ".join(
        done.said("error")
    )


def test_a_secret_is_in_no_part(job):
    secret = "sk-ant-" + "api03-" + "a1B2c3D4e5" * 9
    head = WORSE | {"traces/paris.json": WORSE["traces/paris.json"].replace("sunny", secret)}
    job.pull_request(agent(), head)

    keep_parts(job, 1)

    (part,) = (job.workspace / "parts").iterdir()
    assert secret.encode() not in part.read_bytes()


def test_nothing_is_kept_where_nothing_was_changed(job):
    job.pull_request(agent(), agent() | {"README.md": "new"})

    done = job.given(shard="1/2").run()

    assert (done.code, done.outputs["verdict"]) == (0, "not-evaluated")
    assert not list(job.workspace.glob("**/*.part"))
