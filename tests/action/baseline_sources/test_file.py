"""`baseline: ./file.json`: a report that somebody keeps in the repository."""

import json

import pytest

from tests.action.job import agent, config, write
from tests.support import agentevals

FILE = "evals/baseline.json"


def kept(job):
    """The report of a good run, as the action leaves it and as the command line writes it."""
    job.pushed(agent()).given(baseline="none")
    review = (job.run().folder / "report.json").read_text()
    done = agentevals("run", "-c", "eval_config.yaml", "-o", "report", cwd=job.workspace)
    return {"review": review, "report": done.stdout}


@pytest.fixture(params=["review", "report"])
def report(job, request):
    return kept(job)[request.param]


def section(done):
    return done.report["sections"][0]


def test_a_file_of_the_base_is_compared_with(job, report):
    job.pushed(agent() | {FILE: report})
    job.proposed(agent(failing=["paris"]) | {FILE: report}).given(baseline=f"./{FILE}")

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    origin = section(done)["against"]["origin"]
    assert (origin["source"], origin["path"], origin["commit"]) == ("file", FILE, job.base)


def test_a_pull_request_does_not_choose_what_it_is_compared_with(job):
    good = kept(job)["review"]
    bad = json.dumps(json.loads(good) | {"sections": []})
    job.pushed(agent() | {FILE: good})
    job.proposed(agent(failing=["paris"]) | {FILE: bad}).given(baseline=FILE)

    assert job.run().outputs["regressed"] == "1"


def test_a_file_that_a_step_of_the_run_has_fetched_is_used_and_of_no_commit(job):
    report = kept(job)["report"]
    job.pushed(agent())
    job.proposed(agent(failing=["paris"])).given(baseline=FILE)
    write(job.workspace, {FILE: report})

    done = job.run()

    assert done.outputs["regressed"] == "1"
    assert section(done)["against"]["origin"]["commit"] == ""


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, f"there is no file '{FILE}'"),
        ("{", "not valid JSON"),
        ("[]", "not a report: it is no object"),
        ('{"schema_version": "9"}', "has the schema version '9', and '1.0' is read"),
        ('{"schema_version": "1.0", "sections": [{}]}', "not a report"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_reason_and_no_error(job, content, reason):
    files = {} if content is None else {FILE: content}
    job.pushed(agent() | files)
    job.proposed(agent() | files | {"eval_config.yaml": config(jobs=2)}).given(baseline=FILE)

    done = job.run()

    assert done.code == 0
    assert section(done)["against"]["state"] == "no-baseline"
    assert reason in section(done)["against"]["reason"]
    assert "Not compared with the base" in job.comments[0]


def test_a_report_about_other_configs_says_so(job):
    other = kept(job)["review"].replace('"eval_config.yaml"', '"other.yaml"')
    job.pushed(agent() | {FILE: other})
    job.proposed(agent(failing=["paris"]) | {FILE: other}).given(baseline=FILE)

    done = job.run()

    assert "does not contain eval_config.yaml" in section(done)["against"]["reason"]


def test_a_file_outside_of_the_checkout_is_refused(job):
    (job.workspace.parent / "outside.json").write_text(kept(job)["report"])
    job.pushed(agent())
    job.proposed(agent(failing=["paris"])).given(baseline="../outside.json")

    done = job.run()

    assert "leads out of the workspace" in section(done)["against"]["reason"]
