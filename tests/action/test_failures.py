"""The failures for coding agents, as a step leaves them: in the folder and in the check run."""

import json

import pytest

from tests.action.job import CITIES, agent, transcript


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


def attempts(passed, of=10, cases=("paris",)):
    """Of so many recordings of each case, so many look for the place."""
    files = agent()
    for case in cases:
        one, short = files.pop(f"traces/{case}.json"), transcript(case, "forecast")
        names = [f"traces/{case}-{at}.json" for at in range(of)]
        files |= {
            name: _rename(one if at < passed else short, name) for at, name in enumerate(names)
        }
    return files


def _rename(text, name):
    return json.dumps(json.loads(text) | {"id": name})


@pytest.mark.parametrize(
    ("fail_on", "code", "kind"), [("regressed", 1, ""), ("failed", 0, ", a warning")]
)
def test_fewer_passing_attempts_of_a_case_that_passes_are_told_to_machines(
    job, fail_on, code, kind
):
    job.pull_request(attempts(passed=10), attempts(passed=6)).given(fail_on=fail_on)
    done, page = left_by(job)
    tests = json.loads((done.folder / "ctrf.json").read_text())["results"]["tests"]
    failed = [test["name"] for test in tests if test["status"] == "failed"]
    (run,) = json.loads((done.folder / "report.sarif").read_text())["runs"]
    told = "6 of 10 attempts passed, 10 of 10 on the base"

    assert done.code == code
    assert failed == (["paris: (regressed)"] if code else [])
    assert 'name="(verdict)"' not in (done.folder / "junit.xml").read_text()
    assert [found["level"] for found in run["results"]] == ["error" if code else "warning"]
    assert f"#### Case `paris` (regressed{kind})\n\n- trace `traces/paris-6.json:1`\n" in page
    assert f"\n  paris (regressed{kind}): {told}: tool_trajectory_avg_score: " in done.log


def test_of_many_such_cases_the_log_names_three_and_counts_the_others(job):
    base, head = (attempts(passed, of=20, cases=CITIES) for passed in (20, 12))
    done = job.pull_request(base, head).given(fail_on="regressed").run()
    named = [
        text for text in done.log.splitlines() if text.startswith("  ") and "regressed" in text
    ]

    assert [text.split()[0] for text in named] == ["oslo", "paris", "quito"]
    assert "\n  and 1 more failed case\n" in done.log
