"""The failures for coding agents, as a step leaves them: in the folder and in the check run."""

from tests.action.job import agent, transcript


def left_by(job, **environ):
    job.environ |= environ
    done = job.run()
    return done, (done.folder / "failures.md").read_text()


def test_two_runs_of_one_commit_leave_the_same_bytes(job):
    job.pull_request(agent(), agent(failing=["paris"]))
    _, first = left_by(job)
    _, second = left_by(
        job, GITHUB_RUN_ID="30433999", GITHUB_RUN_NUMBER="900", GITHUB_RUN_ATTEMPT="3"
    )

    assert first == second
    assert "#### Case `paris` (regressed)\n\n- trace `traces/paris.json:1`\n" in first
    assert "- rule `eval_config.yaml:4`" in first or "- rule `eval_config.yaml:" in first
    assert f"git checkout {job.head[:12]}\nagentevals run --config eval_config.yaml\n" in first


def test_kept_traces_are_named_without_their_run(job):
    job.pull_request(agent(), agent())
    recorded = job.workspace / "traces" / "paris.json"
    recorded.write_text(transcript("paris", "forecast"))
    job.keeping_artifacts().given(keep_traces="on")
    _, page = left_by(job)

    assert "REPORT is the folder of this file" in page
    assert job.environ["GITHUB_RUN_ID"] not in page


def test_the_check_run_has_the_same_text(job):
    job.pull_request(agent(), agent(failing=["paris"]))
    _, page = left_by(job)
    (check,) = job.place.checks.values()

    assert page.strip() in check["output"]["text"]
