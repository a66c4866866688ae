"""The outputs of the step, and how much of the outcome fits into them."""

import json

import msgspec
import pytest

from agentevals.github.runner.outputs import MOST_OUTPUT, OUTPUTS
from agentevals.model.review import Review
from agentevals.report import reading
from tests.action.job import TRAJECTORY, agent, config, eval_set


def test_every_output_is_set(job):
    job.pull_request(agent(failing=["rome"]), agent(failing=["paris"]))
    done = job.run()
    (comment,), (check,) = job.place.comments, job.place.checks.values()

    assert set(done.outputs) == set(OUTPUTS)
    assert {name: text for name, text in done.outputs.items() if name != "json"} == {
        "verdict": "failed",
        "score": "0.7500",
        "passed": "3",
        "failed": "1",
        "regressed": "1",
        "improved": "1",
        "report": "agentevals-report",
        "comment-url": f"{job.github.root}/weather/agent/pull/12#issuecomment-{comment}",
        "check-url": check["html_url"],
    }


def test_the_outcome_as_json_is_the_review_without_the_whole_runs(job):
    done = job.pull_request(agent(), agent(failing=["paris"])).run()
    told = msgspec.json.decode(done.outputs["json"], type=Review)
    whole = reading.read(done.folder / "report.json")
    (section,) = whole.sections

    assert told == msgspec.structs.replace(
        whole, sections=(msgspec.structs.replace(section, report=None),)
    )


def test_what_nobody_wrote_has_no_address(job):
    job.pull_request(agent(), agent(failing=["paris"]))
    done = job.given(comment="off", check="off").run()

    assert set(OUTPUTS) - set(done.outputs) == {"comment-url", "check-url"}


@pytest.mark.parametrize(
    ("files", "inputs", "verdict", "code"),
    [
        ({}, {}, "failed", 1),
        ({}, {"fail_on": "never"}, "failed", 0),
        ({"eval_config.yaml": "a: ["}, {}, "error", 2),
        ({}, {"config": "missing.yaml"}, "error", 2),
        ({}, {"jobs": "many"}, "error", 2),
    ],
)
def test_the_verdict_tells_a_failure_from_an_evaluation_that_went_wrong(
    job, files, inputs, verdict, code
):
    done = job.pull_request(agent(), agent(failing=["paris"]) | files).given(**inputs).run()

    assert (done.outputs["verdict"], done.code) == (verdict, code)


TOKENS = {"name": "token_usage_v1", "type": "builtin", "max": 100}  # which nobody has recorded


@pytest.mark.parametrize(
    ("gate", "inputs", "code", "conclusion"),
    [
        ({}, {}, 1, "failure"),
        ({"on_not_evaluated": "warn"}, {}, 1, "failure"),
        ({"on_not_evaluated": "warn"}, {"fail_on": "regressed"}, 1, "failure"),
        ({"on_not_evaluated": "warn"}, {"fail_on": "never"}, 0, "neutral"),
        ({}, {"fail_on": "never"}, 0, "neutral"),
    ],
)
def test_a_run_without_a_single_score_is_not_evaluated(job, gate, inputs, code, conclusion):
    files = {"eval_config.yaml": config(TOKENS, gate=gate)}
    done = job.pull_request(agent(), agent() | files).given(status="on", **inputs).run()
    (check,), status = job.place.checks.values(), job.place.statuses[-1]

    assert (done.outputs["verdict"], done.outputs["passed"]) == ("not-evaluated", "0")
    assert (done.code, check["conclusion"]) == (code, conclusion)
    assert "**Not evaluated: none of 4 cases has a score.**" in job.comments[0]
    assert status["description"].startswith("Not evaluated: none of 4 cases has a score.")


def test_a_case_that_nothing_could_judge_has_not_passed(job):
    asked = config(TRAJECTORY, gate={"on_not_evaluated": "warn", "allow_foreign": True})
    files = {"eval_config.yaml": asked, "eval_set.json": eval_set("oslo", "paris")}
    done = job.pull_request(agent(), agent() | files).run()
    rate = done.report["sections"][0]["gates"][0]["head"]

    assert (done.outputs["verdict"], done.outputs["passed"]) == ("passed", "2")
    assert "**Can be merged, with care: 2 of 4 cases have no score.**" in job.comments[0]
    assert (rate["met"], rate["of"]) == (2, 2)


@pytest.mark.parametrize("recorded", ["pull_request_closed", "issue_comment_edited"])
def test_where_there_is_nothing_to_do_nothing_has_passed(job, recorded):
    done = job.pull_request(agent(), agent(), recorded=recorded).run()

    assert (done.code, done.outputs) == (0, {"verdict": "not-evaluated"})


def test_a_large_outcome_is_shortened_to_what_github_takes(job):
    cases = [f"case-{number}" for number in range(150)]
    recorded = agent(failing=cases, cases=cases)
    shared = {"traces": "../../traces/*", "eval_set": "../../eval_set.json"}
    files = {f"evals/{n:02}/eval_config.yaml": config(**shared) for n in range(14)}
    job.pull_request(agent(), recorded | files)
    done = job.given(config="evals/*/eval_config.yaml", comment="off", check="off").run()
    size = sum(len((name + text).encode("utf-16-le")) for name, text in done.outputs.items())
    sections = json.loads(done.outputs["json"])["sections"]

    assert size <= MOST_OUTPUT
    assert len(sections) == 14
    assert {section["highlights"] == [] for section in sections} == {True}
    assert "the output 'json' was shortened" in done.said("warning")[0]


def test_what_an_agent_said_cannot_set_an_output(job):
    evil = "x\nverdict=passed\nverdict<<end\npassed\nend\n"
    files = agent(failing=["paris"]) | {"eval_set.json": eval_set_named(evil)}
    done = job.pull_request(agent(), files).run()

    assert set(done.outputs) <= set(OUTPUTS)
    assert done.outputs["verdict"] == "failed"
    assert "verdict=passed" in json.dumps(json.loads(done.outputs["json"]))


def eval_set_named(name):
    """The eval set, with another name for its first case."""
    document = json.loads(agent()["eval_set.json"])
    document["eval_cases"][0]["eval_id"] = name
    return json.dumps(document)
