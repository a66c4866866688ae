"""Our own check run: how it ends, what it marks, and the baseline that it carries out of sight."""

import pytest

from agentevals.compare import baselines
from agentevals.github.check_runs import TEXT_BYTES
from tests.action.job import agent, config, eval_set, transcript
from tests.stand_in.faults import Fault


@pytest.fixture
def regression(job):
    return job.pull_request(agent(), agent(failing=["paris"])).given(comment="off")


def crowd(count, failing=()):
    """An agent with many cases, all of them recorded in one file."""
    cases = [f"case-{number}" for number in range(count)]
    lines = [
        transcript(case, *(("forecast",) if case in failing else ("geocode", "forecast")))
        for case in cases
    ]
    return {
        "eval_config.yaml": config(),
        "eval_set.json": eval_set(*cases),
        "traces/all.jsonl": "".join(lines),
    }


def patches(job):
    return [request.document for request in job.github.requests("PATCH", "/check-runs/")]


def test_it_is_there_while_the_evaluation_runs_and_ends_with_the_verdict(regression):
    done = regression.run()
    (begun,) = [r.document for r in regression.github.requests("POST", "/check-runs")]
    (check,) = regression.place.checks.values()

    assert (begun["status"], begun["head_sha"]) == ("in_progress", regression.head)
    assert begun["output"]["summary"].startswith("### ⏳ The evaluation is running.")
    assert (check["status"], check["conclusion"]) == ("completed", "failure")
    assert check["output"]["title"] == "Not ready to merge: 1 of 4 cases failed."
    assert check["output"]["summary"].startswith("### ❌ Not ready to merge: 1 of 4 cases failed.")
    assert done.outputs["check-url"] == check["html_url"]


@pytest.mark.parametrize(
    ("head", "inputs", "conclusion", "title"),
    [
        ({"eval_set.json": agent()["eval_set.json"] + "\n"}, {}, "success", "Ready to merge"),
        (agent(failing=["rome"]), {"fail_on": "never"}, "success", "Can be merged"),
        ({"eval_config.yaml": "a: ["}, {}, "failure", "Cannot tell whether to merge"),
        (agent(cases=["oslo"]), {"config": "missing.yaml"}, "failure", "Cannot tell whether"),
    ],
)
@pytest.mark.recorded
def test_the_conclusion_is_that_of_the_exit_code(job, head, inputs, conclusion, title):
    done = job.pull_request(agent(), agent() | head).given(**inputs).run()
    (check,) = job.place.checks.values()

    assert check["conclusion"] == conclusion
    assert check["output"]["title"].startswith(title)
    assert (done.code == 0) is (conclusion == "success")


def test_the_worst_lines_are_marked_fifty_at_a_time(job):
    failing = [f"case-{number}" for number in range(80)]
    job.pull_request(crowd(80), crowd(80, failing)).given(comment="off")
    done = job.run()
    (check,) = job.place.checks.values()
    sent = [len(document["output"]["annotations"]) for document in patches(job)]
    levels = [marked["annotation_level"] for marked in check["annotations"]]

    assert sent[0] == 50
    assert len(sent) == 2
    assert len(check["annotations"]) == sum(sent)
    assert check["annotations"][0]["path"] == "eval_config.yaml"
    assert levels == sorted(levels)
    assert done.said("error") == []


def test_an_answer_that_was_lost_marks_nothing_twice(job):
    failing = [f"case-{number}" for number in range(80)]
    job.pull_request(crowd(80), crowd(80, failing)).given(comment="off")
    job.github.faults.append(Fault("PATCH", "/check-runs/", after_effect=True))
    done = job.run()
    (check,) = job.place.checks.values()
    marked = [(one["path"], one["start_line"], one["title"]) for one in check["annotations"]]

    assert len(marked) == len(set(marked))
    assert check["conclusion"] == "failure"
    assert done.said("warning") == []


def test_nothing_is_marked_where_that_is_not_wanted(regression):
    done = regression.given(annotations="off").run()
    (check,) = regression.place.checks.values()

    assert check["annotations"] == []
    assert done.said("error") == []


def test_the_run_itself_is_hidden_in_it_for_later_runs(job):
    job.pushed(agent(failing=["paris"])).run()
    (check,) = job.place.checks.values()
    text = check["output"]["text"]
    page, _, hidden = text.partition("\n<!-- ")
    known = baselines.unpack(text)

    assert "| `paris` | ❌ fail |" in page
    assert hidden.endswith(" -->")
    assert [case.case_id for case in known.cases] == ["oslo", "paris", "quito", "rome"]
    assert known.cases[0].outcomes["tool_trajectory_avg_score"].score == 1.0


def test_five_thousand_cases_leave_room_for_both(job):
    job.pushed(crowd(5_000, ["case-7"])).given(baseline="none")
    job.run()
    (check,) = job.place.checks.values()
    text = check["output"]["text"]
    known = baselines.unpack(text)

    assert len(text.encode()) <= TEXT_BYTES
    assert "All 5,000 cases" in text
    assert known.figures["pass_rate"].met == 4_999


def test_a_dozen_configs_share_the_room(job):
    shared = config(traces="../../traces/*", eval_set="../../eval_set.json")
    files = agent() | {f"evals/{number}/eval_config.yaml": shared for number in range(12)}
    job.pushed(files).given(config="evals/*/eval_config.yaml")
    job.run()
    (check,) = job.place.checks.values()
    text = check["output"]["text"]
    told = [baselines.unpack(baselines.DIGEST + part) for part in text.split(baselines.DIGEST)[1:]]

    assert len(text.encode()) <= TEXT_BYTES
    assert {known.origin.path for known in told} == {name for name in files if name[:6] == "evals/"}


def test_legs_of_a_matrix_have_a_check_each(regression):
    for leg in ("small", "large"):
        regression.given(matrix=f'{{"model": "{leg}"}}').run()

    assert [check["name"] for check in regression.place.checks.values()] == [
        "agentevals / small",
        "agentevals / large",
    ]


def test_a_check_that_could_not_be_begun_is_made_at_the_end(regression):
    regression.github.faults.append(Fault("POST", "/check-runs", 502, times=5))
    regression.run()

    assert [c["conclusion"] for c in regression.place.checks.values()] == ["failure"]


def again(job, attempt):
    """The same run once more, as with 'Re-run jobs'."""
    job.environ["GITHUB_RUN_ATTEMPT"] = str(attempt)
    return job.run()


def test_a_run_again_updates_its_check_run(regression):
    first = regression.run()
    (before,) = [list(check["annotations"]) for check in regression.place.checks.values()]
    second = again(regression, 2)
    third = again(regression, 3)
    (check,) = regression.place.checks.values()

    assert {done.outputs["check-url"] for done in (first, second, third)} == {check["html_url"]}
    assert (check["status"], check["conclusion"]) == ("completed", "failure")
    assert "-3-" in check["external_id"]
    assert check["annotations"] == before
    assert before


def test_while_it_runs_again_the_check_run_is_open(regression):
    regression.run()
    again(regression, 2)
    begun = [one for one in patches(regression) if one["status"] == "in_progress"]

    assert len(begun) == 1
    assert "The evaluation is running" in begun[0]["output"]["summary"]


def test_another_run_of_the_commit_has_a_check_run_of_its_own(regression):
    regression.run()
    regression.environ["GITHUB_RUN_ID"] = "30433999"
    again(regression, 2)

    assert len(regression.place.checks) == 2


def test_another_job_of_the_run_has_a_check_run_of_its_own(regression):
    regression.run()
    regression.environ["GITHUB_JOB"] = "others"
    again(regression, 2)

    assert len(regression.place.checks) == 2


def test_where_the_earlier_one_cannot_be_found_it_is_made_anew(regression):
    regression.run()
    regression.github.faults.append(Fault("GET", "/check-runs", 500, times=9))
    done = again(regression, 2)

    assert done.code == 1
    assert len(regression.place.checks) == 2
