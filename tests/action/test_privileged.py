"""Events with the rights of the base: what a pull request brings along is judged, never obeyed."""

from pathlib import Path

import pytest

from tests.action.job import (
    CITIES,
    FORK,
    NUMBER,
    REPOSITORY,
    TRAJECTORY,
    agent,
    config,
    eval_set,
    transcript,
    write,
)

WORSE = agent(failing=["paris"])
LENIENT = config(TRAJECTORY | {"threshold": 0.0}, gate={"pass_rate": {"at_least": 0.0}})
EVALUATOR = {"name": "polite", "type": "code", "path": "evaluators/polite.py", "threshold": 1.0}
PROGRAM = """
import json, sys
json.load(sys.stdin)
print(json.dumps({{"score": {score}, "details": {{"issues": ["says the one of the {whose}"]}}}}))
"""
REFUSES = PROGRAM.format(score=0.0, whose="base")
PASSES = PROGRAM.format(score=1.0, whose="head")

EVENTS = ["pull_request_target", "workflow_run_fork", "issue_comment"]


@pytest.fixture(params=EVENTS)
def privileged(job, request):
    """Two trees of files, seen from the base; the base is what is checked out."""

    def made(base, head, checkout="base", recorded=request.param):
        job.pull_request(base, head, recorded=recorded)
        job.environ["GITHUB_SHA"] = job.base
        return job.checkout(getattr(job, checkout))

    return made


@pytest.fixture(params=EVENTS)
def event(request):
    return request.param


def whose(job):
    """Whose branch the event is about."""
    return FORK if f'"{FORK}"' in Path(job.environ["GITHUB_EVENT_PATH"]).read_text() else REPOSITORY


def results(done):
    cases = done.report["sections"][0]["report"]["cases"]
    return {case["case_id"]: case["verdict"] for case in cases}


@pytest.mark.parametrize(
    "forged",
    [
        {"eval_config.yaml": LENIENT},
        {"eval_set.json": eval_set(*CITIES, calls=["forecast"])},
        {"eval_config.yaml": config(traces="traces/rome.json")},
        {"other/eval_config.yaml": LENIENT},
    ],
    ids=["a lower threshold", "another eval set", "fewer traces", "another config"],
)
def test_a_pull_request_cannot_soften_what_judges_it_even_where_it_is_checked_out(
    privileged, forged
):
    job = privileged(agent(), WORSE | forged, "head")

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")
    assert results(done) == {case: "fail" if case == "paris" else "pass" for case in CITIES}
    assert [section["config"] for section in done.report["sections"]] == ["eval_config.yaml"]


def test_a_pull_request_cannot_choose_its_judge_by_where_it_leaves_the_base(job, event):
    lenient = {"eval_config.yaml": LENIENT}
    long_ago = job.origin.commit(agent() | lenient)
    job.base = job.origin.commit(agent(), on=long_ago)
    job.head = job.origin.commit(WORSE | lenient, on=long_ago)
    job.on(event, job.head, job.base)
    job.known(13 if event == "pull_request_target" else NUMBER, head_repository=whose(job))
    job.place.merge_bases[f"{job.base}...{job.head}"] = long_ago
    job.environ["GITHUB_SHA"] = job.base
    done = job.checkout(job.base).run()

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert done.outputs["failed"] == "1"


def test_a_baseline_in_a_file_is_that_of_the_base_as_it_is_now(job, event):
    """Long ago everything failed, so that nothing can be worse than that."""
    job.given(baseline="./baseline.json")
    bad, good = (job.pushed(agent(failing=failing)).run().text for failing in (CITIES, ()))
    long_ago = job.origin.commit(agent() | {"baseline.json": bad})
    job.base = job.origin.commit(agent() | {"baseline.json": good}, on=long_ago)
    job.head = job.origin.commit(WORSE | {"baseline.json": bad}, on=long_ago)
    job.on(event, job.head, job.base)
    job.known(13 if event == "pull_request_target" else NUMBER, head_repository=whose(job))
    job.place.merge_bases[f"{job.base}...{job.head}"] = long_ago
    job.environ["GITHUB_SHA"] = job.base
    done = job.checkout(job.base).run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")


def test_a_pull_request_cannot_take_its_judge_away(privileged):
    head = {name: text for name, text in WORSE.items() if name.startswith("traces/")}
    job = privileged(agent(), head)

    done = job.run()

    assert (done.code, done.outputs["regressed"]) == (1, "1")


def test_an_evaluator_of_the_pull_request_is_not_run(privileged):
    base = agent() | {"eval_config.yaml": config(EVALUATOR), "evaluators/polite.py": REFUSES}
    job = privileged(base, base | {"evaluators/polite.py": PASSES}, "head")

    done = job.run()

    written = (done.folder / "report.json").read_text()
    assert set(results(done).values()) == {"fail"}
    assert "says the one of the base" in written
    assert "says the one of the head" not in written


def test_the_report_says_that_the_base_decides(privileged):
    done = privileged(agent(), WORSE).run()

    assert "those of the base" in done.report["notes"][0]["message"]


@pytest.mark.parametrize("leads_to", ["/etc/hostname", "../../secret.json", "../eval_set.json"])
def test_a_link_among_the_traces_is_not_followed(privileged, leads_to):
    job = privileged(agent(), agent() | {"traces/paris.json": Path(leads_to)}, "base")
    write(job.folder, {"secret.json": transcript("paris", "geocode", "forecast")})

    done = job.run()

    assert done.code == 1
    assert "paris" not in [case for case, verdict in results(done).items() if verdict == "pass"]
    assert "traces/paris.json" in done.report["notes"][1]["message"]


def test_a_folder_of_traces_that_is_a_link_is_not_followed(privileged):
    head = {name: text for name, text in WORSE.items() if not name.startswith("traces/")}
    job = privileged(agent(), head | {"traces": Path("/etc")})

    done = job.run()

    assert done.code != 0
    assert "hostname" not in done.log


def test_a_new_trace_of_the_pull_request_is_judged_as_well(privileged):
    job = privileged(agent(), agent() | {"traces/lima.json": transcript("lima", "forecast")})

    done = job.run()

    assert results(done)["lima"] == "fail"


def test_where_the_base_is_nowhere_to_be_had_the_head_does_not_judge_itself(job):
    job.pull_request(agent(), WORSE | {"eval_config.yaml": LENIENT}, recorded="pull_request_target")
    job.checkout(job.head, shallow=True)
    job.place.tarballs.clear()

    done = job.run()

    assert (done.code, done.outputs["verdict"]) == (3, "error")
    assert done.report["sections"] == []
